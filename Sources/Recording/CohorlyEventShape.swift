package import CohorlyTracker
package import Effects

/// How stored events look to a Cohorly server.
package struct CohorlyEventShape: Sendable {
  private let name: String
  /// Names of properties and the members of a stored event that they take their values from.
  private let properties: [(name: String, member: String)]
  private let automatic: [JSONMember]
  private let superProperties: [JSONMember]

  /// - Parameters:
  ///   - name: what request events are called.
  ///   - properties: what they tell, of ``ExchangeEvent/propertyMembers``; others are left out.
  ///   - automatic: what the program tells of itself, `$lib` and so on.
  ///   - superProperties: what every event carries beside its own.
  package init(name: String, properties: [String], automatic: [JSONMember], superProperties: [JSONMember]) {
    self.name = name
    self.properties = properties.compactMap { name in ExchangeEvent.propertyMembers[name].map { (name, $0) } }
    self.automatic = automatic
    self.superProperties = superProperties
  }

  /// What the stored event is to Cohorly.
  package func read(_ event: QueuedEvent) -> CohorlyReading {
    guard let stored = StoredMembers(event.payload) else { return .unreadable(reason: "not a JSON object") }
    let kind = stored.string("kind")
    if kind == CohorlyRecord.kind { return CohorlyReading(event) }
    guard let whose = stored.value(Self.member) else { return .other }
    guard let identity = CohorlyIdentity(stored: Array(event.payload[whose]), mint: { "" }),
      let title = stored.string("event")
    else { return .unreadable(reason: "without identity or name") }
    let isRequest = kind == nil && title == ExchangeEvent.name
    guard let properties = isRequest ? told(of: stored) : given(by: stored) else {
      return .unreadable(reason: "its properties are no JSON")
    }
    return .record(record(isRequest ? name : title, event, identity, properties))
  }

  /// The record of an event of the moment, as it is stored and sent.
  package func record(_ name: String, _ event: QueuedEvent, _ identity: CohorlyIdentity, _ properties: [JSONMember])
    -> CohorlyRecord
  {
    CohorlyEvent(
      name: name, insertID: event.id, timeMilliseconds: event.timeMilliseconds, identity: identity,
      automatic: automatic, superProperties: superProperties, properties: properties
    ).record
  }

  private func told(of stored: StoredMembers) -> [JSONMember]? {
    var members: [JSONMember] = []
    for property in properties {
      guard let range = stored.value(property.member) else { continue }
      guard let value = stored.json(range) else { return nil }
      members.append(JSONMember(property.name, value))
    }
    guard let flags = stored.value("flags") else { return members }
    guard let decided = stored.json(flags)?.members else { return nil }
    return members + decided.map { JSONMember("$feature/\($0.name)", $0.value) }
  }

  private func given(by stored: StoredMembers) -> [JSONMember]? {
    guard let range = stored.value("properties") else { return [] }
    return stored.json(range)?.members
  }

  private static let member = "cohorly"

  /// An identity as a member of a stored event, with the comma in front of it.
  package static func eventMember(_ identity: CohorlyIdentity) -> [UInt8] {
    Array(",\"\(member)\":".utf8) + identity.bytes
  }
}
