package import Effects

/// A visit as it is kept: its tokens, when it began, what is told of it, and who has confirmed it.
package struct VisitRecord: Sendable, Hashable {
  /// Where the record of the current visit lies in a `KeyValueStore`, for programs that need no `VisitLedger`.
  package static let currentKey = "ahoy-visit"

  /// How far the clock may go back before a visit counts as ended: otherwise it would outlive its window.
  package static let clockTolerance: Int64 = 5 * 60 * 1000

  package let tokens: VisitTokens
  package let createdAtMilliseconds: Int64
  /// The members of its registration beside the tokens, sorted by name.
  package let fields: [JSONMember]
  /// The URL of the backend that has confirmed the visit; nil before that. A visit that one backend knows is unknown to
  /// another.
  package private(set) var registeredAt: String?

  package init(
    tokens: VisitTokens, createdAtMilliseconds: Int64, fields: [JSONMember] = [], registeredAt: String? = nil
  ) {
    self.tokens = tokens
    self.createdAtMilliseconds = createdAtMilliseconds
    self.fields = VisitFields.normalized(fields)
    self.registeredAt = registeredAt
  }

  /// Reads a stored record; nil for anything that this version would not have written.
  package init?(stored bytes: [UInt8]) {
    let value: JSONValue
    do { value = try JSONReader().value(bytes) } catch { return nil }
    self.init(value)
  }

  /// Reads a record that is part of something stored.
  init?(_ value: JSONValue) {
    guard value["v"]?.integer == 1, let visit = value["visit"]?.string, let visitor = value["visitor"]?.string,
      let createdAt = value["createdAtMs"]?.integer, createdAt >= 0, let fields = value["fields"]?.members
    else { return nil }
    let tokens = VisitTokens(visit: visit, visitor: visitor)
    guard tokens.areValid else { return nil }
    switch value["registeredAt"] {
    case .string(let url):
      self.init(tokens: tokens, createdAtMilliseconds: createdAt, fields: fields, registeredAt: url)
    case nil: self.init(tokens: tokens, createdAtMilliseconds: createdAt, fields: fields)
    default: return nil
    }
  }

  /// The stored form.
  package var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(json)
    return writer.bytes
  }

  /// The stored form as a value.
  var json: JSONValue {
    var members = [
      JSONMember("v", 1), JSONMember("visit", .string(tokens.visit)), JSONMember("visitor", .string(tokens.visitor)),
      JSONMember("createdAtMs", .integer(createdAtMilliseconds)), JSONMember("fields", .object(fields)),
    ]
    if let registeredAt { members.append(JSONMember("registeredAt", .string(registeredAt))) }
    return .object(members)
  }

  /// The same visit, confirmed by the backend with that URL.
  package func confirmed(by backend: String) -> VisitRecord {
    var record = self
    record.registeredAt = backend
    return record
  }

  /// Whether the backend with that URL knows the visit.
  package func isRegistered(at backend: String) -> Bool { registeredAt == backend }

  /// When the visit ends: fixed from its beginning, whatever happens in it. The end of time when that lies beyond what
  /// the clock can show.
  package func expiry(windowMilliseconds: Int64) -> Int64 {
    let (sum, isOver) = createdAtMilliseconds.addingReportingOverflow(windowMilliseconds)
    return isOver ? .max : sum
  }

  /// Whether something that happens now belongs to the visit: it has not ended, and it is not from a time that has not
  /// come yet.
  package func isCurrent(at now: Int64, windowMilliseconds: Int64) -> Bool {
    let (latest, isOver) = now.addingReportingOverflow(Self.clockTolerance)
    return now < expiry(windowMilliseconds: windowMilliseconds) && (isOver || createdAtMilliseconds <= latest)
  }

  /// A visit's duration in milliseconds, at least one, at most all that the clock can show; nil unless positive and
  /// finite.
  package static func windowMilliseconds(seconds: Double) -> Int64? {
    guard seconds.isFinite, seconds > 0 else { return nil }
    return Int64(exactly: (seconds * 1000).rounded(.up)) ?? .max
  }
}
