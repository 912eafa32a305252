/// Events on their way to the store, in one block of bytes, so that handing them on allocates nothing for each.
package struct EventBatch: Sendable {
  /// What is known of an event beside its bytes.
  package struct Entry: Sendable, BitwiseCopyable {
    /// When the event happened, milliseconds since the epoch.
    package let timeMilliseconds: Int64
    package let idLength: Int32
    package let payloadLength: Int32

    /// The length of the event's bytes.
    package var length: Int { Int(idLength) &+ Int(payloadLength) }
  }

  /// The events in the order of their arrival.
  package private(set) var entries: [Entry] = []
  /// The id and behind it the payload of each event, one event behind the other.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package var count: Int { entries.count }
  package var isEmpty: Bool { entries.isEmpty }
  /// About what the batch occupies in memory.
  package var memoryBytes: Int { EventBatch.memory(events: entries.count, bytes: bytes.count) }

  /// About what so many events of so many bytes occupy in memory.
  package static func memory(events: Int, bytes: Int) -> Int { bytes &+ events &* MemoryLayout<Entry>.stride }

  /// Adds an event.
  ///
  /// - Parameters:
  ///   - id: The event's id for life, one word.
  ///   - payload: The event itself, a JSON object.
  package mutating func append(id: some Collection<UInt8>, timeMilliseconds: Int64, payload: some Collection<UInt8>) {
    entries.append(
      Entry(
        timeMilliseconds: timeMilliseconds, idLength: Int32(clamping: id.count),
        payloadLength: Int32(clamping: payload.count)))
    bytes.append(contentsOf: id)
    bytes.append(contentsOf: payload)
  }

  /// Adds the first events of another batch.
  package mutating func append(_ other: EventBatch, first count: Int) {
    if entries.isEmpty, count == other.count {
      // Most batches find the queue empty.
      if bytes.capacity < other.bytes.count { bytes = other.bytes } else { bytes.append(contentsOf: other.bytes) }
      entries.append(contentsOf: other.entries)
      return
    }
    let added = other.entries.prefix(count)
    entries.append(contentsOf: added)
    bytes.append(contentsOf: other.bytes.prefix(added.reduce(0) { $0 &+ $1.length }))
  }

  /// Empties the batch. Memory beyond so many bytes is given back.
  package mutating func removeAll(keeping limit: Int) {
    entries.removeAll(keepingCapacity: entries.capacity &* MemoryLayout<Entry>.stride <= limit)
    bytes.removeAll(keepingCapacity: bytes.capacity <= limit)
  }
}
