import ClientFoundation
import Effects
import Foundation

/// What programs say in properties, as JSON: any value that can be encoded, dates as ISO 8601. Names are kept as they are.
enum PropertyValues {
  /// The members in ascending order of their names.
  ///
  /// - Throws: What the encoder says of a value that is none, such as a number that is not finite.
  static func members(_ values: [String: any Encodable & Sendable]) throws -> [JSONMember] {
    var members: [JSONMember] = []
    members.reserveCapacity(values.count)
    for (name, value) in values { members.append(JSONMember(name, try json(value))) }
    return members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private static func json(_ value: any Encodable & Sendable) throws -> JSONValue {
    switch value {
    // Most values, without the encoder's detour.
    case let text as String: return .string(text)
    case let truth as Bool: return .bool(truth)
    case let number as Int: return .integer(Int64(number))
    case let number as Double where number.isFinite: return .double(number)
    default: break
    }
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // In an array, since a value alone is not encoded by every version of Foundation.
    let encoded = Array(try encoder.encode([AnyEncodable(value)]))
    return try JSONReader().value(encoded).array?.first ?? .null
  }
}
