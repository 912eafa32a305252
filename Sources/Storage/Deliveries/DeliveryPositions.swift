import Effects
import Synchronization

/// How far each backend has got, as the retention of the event database needs to know: what it deletes and no backend
/// has had is counted.
package final class DeliveryPositions: Sendable {
  private struct Position {
    var cursor: DeliveryCursor
    /// Read, and so in the memory of the delivery: deleting these loses nothing unless the program ends abruptly.
    var readUpTo: Int64
    var dropped: Int64 = 0
  }

  private let positions = Mutex<[String: Position]>([:])

  package init() {}

  /// Events deleted because of the retention limits that the backend had neither acknowledged nor read.
  package func droppedUndelivered(of backend: String) -> Int64 {
    positions.withLock { $0[backend]?.dropped ?? 0 }
  }

  func cursor(of backend: String) -> DeliveryCursor? { positions.withLock { $0[backend]?.cursor } }

  /// The backends with their cursors.
  var cursors: [String: DeliveryCursor] { positions.withLock { $0.mapValues(\.cursor) } }

  func set(_ cursor: DeliveryCursor, of backend: String) {
    positions.withLock { positions in
      positions[backend, default: Position(cursor: cursor, readUpTo: 0)].cursor = cursor
    }
  }

  func noteRead(upTo sequence: Int64, of backend: String) {
    positions.withLock { positions in
      guard let earlier = positions[backend]?.readUpTo, sequence > earlier else { return }
      positions[backend]?.readUpTo = sequence
    }
  }

  /// Counts what is deleted for good.
  func noteExpired(_ ranges: [ClosedRange<Int64>]) {
    guard !ranges.isEmpty else { return }
    positions.withLock { positions in
      for (backend, position) in positions {
        for range in ranges where range.upperBound > position.readUpTo {
          let unread = max(range.lowerBound, position.readUpTo + 1)...range.upperBound
          positions[backend]?.dropped += position.cursor.countMissing(in: unread)
        }
      }
    }
  }
}

extension DeliveryCursor {
  /// How many numbers of a range are not acknowledged.
  func countMissing(in range: ClosedRange<Int64>) -> Int64 {
    guard range.upperBound > position else { return 0 }
    var count = max(0, range.upperBound - max(through, range.lowerBound - 1))
    for part in missing where part.overlaps(range) {
      let overlap = part.clamped(to: range)
      count += overlap.upperBound - overlap.lowerBound + 1
    }
    return count
  }

  /// The cursor where the queue ends at a number: what it says of later ones is about events that are no more.
  func limited(to last: Int64) -> DeliveryCursor {
    guard through > last else { return self }
    let end = max(0, last)
    return DeliveryCursor(
      position: min(position, end), through: min(through, end),
      missing: missing.compactMap { $0.lowerBound > end ? nil : $0.lowerBound...min($0.upperBound, end) })
  }

  /// The missing ranges as text: `5-5,900-1200`.
  var missingText: String { missing.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",") }

  /// The ranges of such a text; nil when it is none.
  static func missing(ofText text: String) -> [ClosedRange<Int64>]? {
    var ranges: [ClosedRange<Int64>] = []
    for part in text.split(separator: ",") {
      let ends = part.split(separator: "-").map { Int64($0) }
      guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last,
        ranges.last.map({ $0.upperBound < first }) ?? true
      else { return nil }
      ranges.append(first...last)
    }
    return ranges
  }
}
