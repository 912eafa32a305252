import ClientFoundation
public import Foundation

/// Something that happened during a visit.
public struct Event: Sendable {
  /// What the server recognises a repeated event by, if its table of events has a unique `event_id`. Give one, a UUID in
  /// lower case, to events that you may send again; without one, each sending is an event of its own.
  public let id: String?
  /// What happened, such as `ride_details.increase_tip`.
  public let name: String
  /// What is to be known about it; the keys are kept as they are.
  public let properties: [String: any Encodable & Sendable]
  /// When it happened. Servers believe it within the last minute; what came later gets the time of its arrival. Put a time
  /// that must not change into the properties, too.
  public let time: Date

  /// An event, by default of this moment.
  public init(
    id: String? = nil, name: String, properties: [String: any Encodable & Sendable] = [:], time: Date = Date()
  ) {
    self.id = id
    self.name = name
    self.properties = properties
    self.time = time
  }
}

extension Event: Encodable {
  private enum CodingKeys: String, CodingKey {
    case id, name, properties, time
  }

  /// Writes the event as it travels, but for the user.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(properties.mapValues(AnyEncodable.init), forKey: .properties)
    try container.encode(time, forKey: .time)
  }
}
