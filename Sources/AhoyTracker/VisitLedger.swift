import Effects

/// The visits that recorded events may mention, oldest first; the last one is the current one.
///
/// An event that waits for its delivery outlives its visit. The server must know that visit before the event comes, or make
/// it of what the event's request says; either needs the visit's record (contract, facts 7 and 8).
package struct VisitLedger: Sendable, Hashable {
  /// Where the ledger lies in a `KeyValueStore`.
  package static let key = "ahoy-visits"

  /// With visits of four hours, three weeks. Beyond, confirmed ones go first, then the oldest.
  package static let capacity = 128

  package private(set) var records: [VisitRecord] = []

  package init() {}

  /// Reads a stored ledger; records that this version would not have written are left out. Nil when it is no ledger.
  package init?(stored bytes: [UInt8]) {
    let value: JSONValue
    do { value = try JSONReader().value(bytes) } catch { return nil }
    guard value["v"]?.integer == 1, let visits = value["visits"]?.array else { return nil }
    for visit in visits {
      if let record = VisitRecord(visit) { keep(record) }
    }
  }

  /// The stored form.
  package var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write(["v": 1, "visits": .array(records.map(\.json))])
    return writer.bytes
  }

  /// The visit that began last: what a `VisitMachine` goes on with.
  package var latest: VisitRecord? { records.last }

  /// The record of a visit; nil when it is not known any more.
  package subscript(visit: String) -> VisitRecord? { records.last { $0.tokens.visit == visit } }

  /// Takes a record over from `VisitMachine.Action.persist`: a new visit becomes the latest, a known one stays in its place.
  package mutating func keep(_ record: VisitRecord) {
    if let index = records.lastIndex(where: { $0.tokens.visit == record.tokens.visit }) {
      records[index] = record
      return
    }
    records.append(record)
    guard records.count > Self.capacity else { return }
    records.remove(at: records.dropLast().firstIndex { $0.registeredAt != nil } ?? 0)
  }

  /// The server has confirmed a visit, by its registration or by taking events that carried its fields.
  ///
  /// - Returns: Whether that is news.
  package mutating func confirm(_ visit: String, by backend: String) -> Bool {
    guard let index = records.lastIndex(where: { $0.tokens.visit == visit }), !records[index].isRegistered(at: backend)
    else { return false }
    records[index] = records[index].confirmed(by: backend)
    return true
  }

  /// The oldest visit before the latest that this backend does not know: it ended before it could be registered. The latest
  /// is the machine's business.
  package func overdue(at backend: String) -> VisitRecord? {
    records.dropLast().first { !$0.isRegistered(at: backend) }
  }
}
