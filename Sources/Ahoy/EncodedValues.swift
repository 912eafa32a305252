import AhoyTracker
import ClientFoundation
import Effects
import Foundation

/// What users hand over as `Encodable`, as JSON: dates as ISO 8601 in whole seconds, names of coding keys in snake case,
/// keys in ascending order.
enum EncodedValues {
  /// The JSON object of an event's properties. Keys of dictionaries are kept as they are.
  static func properties(_ values: [String: any Encodable & Sendable]) throws -> [UInt8] {
    if values.isEmpty { return Array("{}".utf8) }
    return Array(try encoder().encode(values.mapValues(AnyEncodable.init)))
  }

  /// The members of a visit. Their names are turned into snake case: `utmSource` is `utm_source`.
  static func fields(_ values: [String: any Encodable & Sendable]) throws -> [JSONMember] {
    if values.isEmpty { return [] }
    return try JSONReader().value(Array(try encoder().encode(NamedValues(values: values)))).members ?? []
  }

  private static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}

/// Values whose names the encoder treats as those of properties, and so converts.
private struct NamedValues: Encodable {
  struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  let values: [String: any Encodable & Sendable]

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for (name, value) in values { try container.encode(value, forKey: Name(stringValue: name)) }
  }
}

extension Event {
  /// The event as a request carries it.
  func prepared(userID: String?) throws -> PreparedEvent {
    let milliseconds = (time.timeIntervalSince1970 * 1000).rounded(.down)
    return PreparedEvent(
      id: id, name: name, propertiesJSON: try EncodedValues.properties(properties),
      time: PreparedEvent.time(wholeSecondsOf: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)),
      userID: userID)
  }
}
