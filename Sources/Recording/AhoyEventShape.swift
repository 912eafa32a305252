package import AhoyTracker
package import Effects

/// How stored events look to an Ahoy server.
package struct AhoyEventShape: Sendable {
  /// What a stored event is to Ahoy.
  package enum Reading: Sendable, Hashable {
    /// An event of a visit.
    case event(VisitTokens, PreparedEvent)
    /// It belongs to no visit: it was recorded without Ahoy, or while there was none.
    case other
    /// It is not what this program writes.
    case unreadable(reason: String)
  }

  /// A property of a request event.
  private struct Property: Sendable {
    /// Its name with quotes and colon, as it is written.
    let key: [UInt8]
    /// The member of a stored event that it takes its value from; nil for the moment.
    let member: [UInt8]?
  }

  private let name: String
  /// In ascending order of their names, the moment among them.
  private let properties: [Property]

  /// - Parameters:
  ///   - name: what request events are called.
  ///   - properties: what they tell, of ``ExchangeEvent/propertyMembers``; others are left out.
  package init(name: String, properties: [String]) {
    self.name = name
    let told = Set(properties).compactMap { name in ExchangeEvent.propertyMembers[name].map { (name, Optional($0)) } }
    self.properties = (told + [(Self.moment, nil)]).sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
      .map { Property(key: Array("\"\($0.0)\":".utf8), member: $0.1.map { Array($0.utf8) }) }
  }

  private static let moment = "occurred_at"

  /// What the stored event is to Ahoy. The server believes a time for a minute only, so the moment is a property, too
  /// (contract ahoy.md, fact 4).
  package func read(_ event: QueuedEvent) -> Reading {
    guard let stored = StoredMembers(event.payload) else { return .unreadable(reason: "not a JSON object") }
    guard let ahoy = stored.value("ahoy") else { return .other }
    guard let tokens = Self.tokens(ahoy, event.payload), let kind = stored.string("event") else {
      return .unreadable(reason: "without tokens or name")
    }
    guard tokens.areValid else { return .unreadable(reason: "its tokens are none") }
    let time = Timestamp.text(millisecondsSinceEpoch: event.timeMilliseconds)
    let isRequest = kind == ExchangeEvent.name && stored.value("kind") == nil
    guard let properties = isRequest ? told(of: stored, at: time) : Self.given(by: stored, at: time) else {
      return .unreadable(reason: "its properties are no JSON object")
    }
    let user = StoredMembers(event.payload, in: ahoy)?.string("user")
    return .event(
      tokens,
      PreparedEvent(
        id: event.id, name: isRequest ? name : kind, propertiesJSON: properties, time: time, userID: user))
  }

  /// The token of the visit that a stored event belongs to; nil when it belongs to none.
  package func visit(of event: QueuedEvent) -> String? {
    StoredMembers(event.payload)?.value("ahoy").flatMap { Self.tokens($0, event.payload)?.visit }
  }

  private static func tokens(_ ahoy: Range<Int>, _ payload: [UInt8]) -> VisitTokens? {
    guard let members = StoredMembers(payload, in: ahoy), let visit = members.string("visit"),
      let visitor = members.string("visitor")
    else { return nil }
    return VisitTokens(visit: visit, visitor: visitor)
  }

  /// What is told of a request: the values stand in the stored event as they are sent.
  private func told(of stored: StoredMembers, at time: String) -> [UInt8] {
    var json: [UInt8] = [UInt8(ascii: "{")]
    json.reserveCapacity(stored.payload.count)
    for property in properties {
      var value: Range<Int>?
      if let member = property.member {
        value = stored.value(member)
        if value == nil { continue }
      }
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      json += property.key
      if let value { json += stored.payload[value] } else { Self.append(time, to: &json) }
    }
    json.append(UInt8(ascii: "}"))
    return json
  }

  /// The properties that came with an event, with its moment unless they say one.
  private static func given(by stored: StoredMembers, at time: String) -> [UInt8]? {
    var members: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []
    if let range = stored.value("properties") {
      guard let own = JSONMemberRanges(stored.payload, in: range) else { return nil }
      members = own.members.map { (stored.payload[$0.name], stored.payload[$0.value]) }
    }
    if !members.contains(where: { $0.name.elementsEqual(moment.utf8) }) {
      members.append((Array(moment.utf8)[...], Array("\"\(time)\"".utf8)[...]))
    }
    members.sort { $0.name.lexicographicallyPrecedes($1.name) }
    var json: [UInt8] = [UInt8(ascii: "{")]
    for member in members {
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      json.append(UInt8(ascii: "\""))
      json += member.name
      json += [UInt8(ascii: "\""), UInt8(ascii: ":")]
      json += member.value
    }
    json.append(UInt8(ascii: "}"))
    return json
  }

  private static func append(_ time: String, to json: inout [UInt8]) {
    json.append(UInt8(ascii: "\""))
    json.append(contentsOf: time.utf8)
    json.append(UInt8(ascii: "\""))
  }
}

/// An event that a program or an operator tells of, as it is stored beside the request events.
package enum TrackedEvent {
  /// The event as one line of JSON.
  ///
  /// - Parameters:
  ///   - members: whose it is, as in `InjectionSnapshot.eventMembers`.
  package static func json(
    name: String, id: String, timeMilliseconds: Int64, properties: [JSONMember], members: [UInt8]
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.write(
      .object([
        JSONMember("event", .string(name)), JSONMember("kind", "track"), JSONMember("id", .string(id)),
        JSONMember("time", .string(Timestamp.text(millisecondsSinceEpoch: timeMilliseconds))),
        JSONMember("properties", .object(properties)),
      ]))
    return writer.bytes.dropLast() + members + [UInt8(ascii: "}")]
  }
}

extension VisitTokens {
  /// The tokens as a member of a stored event, with the comma in front of it.
  package func eventMember(userID: String?) -> [UInt8] {
    var members = [JSONMember("visit", .string(visit)), JSONMember("visitor", .string(visitor))]
    if let userID { members.append(JSONMember("user", .string(userID))) }
    var writer = JSONWriter()
    writer.write(.object(members))
    return Array(#","ahoy":"#.utf8) + writer.bytes
  }
}
