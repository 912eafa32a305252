package import AhoyTracker
package import Effects
import EventPipeline

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

  private let name: String
  /// Names of properties and the members of a stored event that they take their values from, in ascending order.
  private let properties: [(name: String, member: String)]

  /// - Parameters:
  ///   - name: what request events are called.
  ///   - properties: what they tell, of ``propertyMembers``; others are left out.
  package init(name: String, properties: [String]) {
    self.name = name
    self.properties = Set(properties).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.compactMap { property in
      Self.propertyMembers[property].map { (property, $0) }
    }
  }

  /// The properties of a request event, and where a stored event has them.
  package static let propertyMembers = [
    "connect_ms": "connectMs", "duration_ms": "durationMs", "error": "error", "first_byte_ms": "firstByteMs",
    "injected": "injected", "method": "method", "mode": "mode", "request_bytes": "requestBytes",
    "response_bytes": "responseBytes", "reused_connection": "reusedConnection", "rules": "rules", "status": "status",
    "url": "url", "user": "user", "visitor_id": "visitorID",
  ]

  /// What the stored event is to Ahoy. The server believes a time for a minute only, so the moment is a property, too
  /// (contract ahoy.md, fact 4).
  package func read(_ event: QueuedEvent) -> Reading {
    let stored: JSONValue
    do {
      stored = try JSONReader().value(event.payload)
    } catch {
      return .unreadable(reason: "not JSON: \(error)")
    }
    guard let ahoy = stored["ahoy"] else { return .other }
    guard let visit = ahoy["visit"]?.string, let visitor = ahoy["visitor"]?.string, let kind = stored["event"]?.string
    else { return .unreadable(reason: "without tokens or name") }
    let tokens = VisitTokens(visit: visit, visitor: visitor)
    guard tokens.areValid else { return .unreadable(reason: "its tokens are none") }
    let moment = JSONMember("occurred_at", .string(Timestamp.text(millisecondsSinceEpoch: event.timeMilliseconds)))
    let isRequest = kind == ExchangeEvent.name && stored["kind"] == nil
    let own = isRequest ? told(of: stored) : stored["properties"]?.members ?? []
    let all = own.contains { $0.name == moment.name } ? own : own + [moment]
    return .event(
      tokens,
      PreparedEvent(
        id: event.id, name: isRequest ? name : kind,
        properties: all.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) },
        timeMilliseconds: event.timeMilliseconds, userID: ahoy["user"]?.string))
  }

  private func told(of stored: JSONValue) -> [JSONMember] {
    properties.compactMap { property in stored[property.member].map { JSONMember(property.name, $0) } }
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
