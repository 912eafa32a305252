/// The records that one request holds: as many of one path, in their order, as a server takes at once.
package struct CohorlyBatch: Sendable {
  package private(set) var path: CohorlyRecord.Path?
  /// Each as it is sent.
  package private(set) var records: [[UInt8]] = []
  /// The size of the body, brackets and commas included.
  package private(set) var bytes = 0

  package init() {}

  /// What became of a record.
  package enum Fit: Sendable, Hashable {
    case added
    /// It belongs into another request.
    case full
    /// It is too large for any request.
    case tooLarge
  }

  /// Adds a record if it has room behind the others.
  package mutating func add(_ record: CohorlyRecord, token: String?) -> Fit {
    guard path == nil || path == record.path, records.count < (record.path == .alias ? 1 : CohorlyLimits.records) else {
      return .full
    }
    let json = record.json(token: token)
    let total = bytes &+ json.count &+ (records.isEmpty ? 2 : 1)
    guard total <= CohorlyLimits.bytes else { return records.isEmpty ? .tooLarge : .full }
    path = record.path
    records.append(json)
    bytes = total
    return .added
  }
}
