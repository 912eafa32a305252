import Effects

/// A visitor id and when it was made: what is stored.
struct VisitorRecord: Sendable, Equatable {
  /// Where the record lies in a `KeyValueStore`.
  static let key = "visitor-id"

  /// How far the clock may go back before an id counts as expired: otherwise it would outlive its validity.
  static let clockTolerance: Int64 = 5 * 60 * 1000

  var id: String
  var createdAtMilliseconds: Int64

  init(id: String, createdAtMilliseconds: Int64) {
    self.id = id
    self.createdAtMilliseconds = createdAtMilliseconds
  }

  /// Reads a stored record; nil for anything that this version would not have written.
  init?(stored bytes: [UInt8]) {
    let value: JSONValue
    do { value = try JSONReader().value(bytes) } catch { return nil }
    guard value["v"]?.integer == 1, let id = value["id"]?.string, UUIDText.isLowercaseUUID(id),
      let createdAt = value["createdAtMs"]?.integer, createdAt >= 0
    else { return nil }
    self.init(id: id, createdAtMilliseconds: createdAt)
  }

  /// The stored form.
  var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(["v": 1, "id": .string(id), "createdAtMs": .integer(createdAtMilliseconds)])
    return writer.bytes
  }

  /// When the id ends; the end of time when that lies beyond what the clock can show.
  func expiry(ttlMilliseconds: Int64) -> Int64 {
    let (sum, isOver) = createdAtMilliseconds.addingReportingOverflow(ttlMilliseconds)
    return isOver ? .max : sum
  }

  /// Whether the id may be used: not expired, and not from a time that has not come yet.
  func isCurrent(at now: Int64, ttlMilliseconds: Int64) -> Bool {
    let (latest, isOver) = now.addingReportingOverflow(Self.clockTolerance)
    return now < expiry(ttlMilliseconds: ttlMilliseconds) && (isOver || createdAtMilliseconds <= latest)
  }

  /// A validity in milliseconds: at least one, at most all that the clock can show; nil unless positive and finite.
  static func ttlMilliseconds(hours: Double) -> Int64? {
    guard hours.isFinite, hours > 0 else { return nil }
    let milliseconds = (hours * 3_600_000).rounded(.up)
    return Int64(exactly: milliseconds) ?? .max
  }
}
