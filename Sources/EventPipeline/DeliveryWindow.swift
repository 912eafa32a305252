import Effects

/// The events that are in memory: read from the store, and neither acknowledged nor dead.
///
/// The cursor follows from them: everything before the first one is done. So it cannot run ahead of an event, whatever
/// the order of the answers.
struct DeliveryWindow: Sendable {
  /// Never sent, in order.
  private(set) var ready: [QueuedEvent] = []
  /// Sent and to be sent again, or letters to be sent.
  private(set) var waiting: [DeliveryBatch] = []
  /// Under way, by the number of the request.
  private(set) var inFlight: [Int: DeliveryBatch] = [:]
  /// Events in all three.
  private(set) var rows = 0
  /// About what they occupy.
  private(set) var bytes = 0

  /// Takes in an event from the queue, which comes after all before it.
  mutating func append(_ event: QueuedEvent) {
    ready.append(event)
    rows &+= 1
    bytes &+= event.memoryBytes
  }

  /// Takes in letters that are queued again.
  mutating func append(letters batch: DeliveryBatch) {
    rows &+= batch.events.count
    for event in batch.events { bytes &+= event.memoryBytes }
    waiting.append(batch)
  }

  /// Takes events out of those never sent; they must be put somewhere else or settled.
  mutating func takeReady(_ indices: [Int]) -> DeliveryBatch {
    var batch = DeliveryBatch(events: ready)
    // The one reference left, so that nothing is copied.
    ready = []
    let taken = batch.take(indices)
    ready = batch.events
    return taken
  }

  /// Takes out a batch that waits; it must be put somewhere else or settled.
  mutating func takeWaiting(at index: Int) -> DeliveryBatch { waiting.remove(at: index) }

  /// Puts a batch among those that wait.
  mutating func wait(_ batch: DeliveryBatch) {
    guard !batch.events.isEmpty else { return }
    waiting.append(batch)
  }

  /// Puts a batch under way.
  mutating func send(_ batch: DeliveryBatch, number: Int) { inFlight[number] = batch }

  /// Takes the batch of an answered request out; it must be put somewhere else or settled.
  mutating func takeAnswered(_ number: Int) -> DeliveryBatch? { inFlight.removeValue(forKey: number) }

  /// Gives up waiting for answers: the batches wait again.
  mutating func recallAll() {
    for number in inFlight.keys.sorted() {
      if let batch = inFlight.removeValue(forKey: number) { waiting.append(batch) }
    }
  }

  /// Forgets events that were taken out for good.
  mutating func settle(_ batch: DeliveryBatch) {
    rows &-= batch.events.count
    for event in batch.events { bytes &-= event.memoryBytes }
  }

  /// Lets all batches that wait be tried from a moment on.
  ///
  /// - Parameter evenIfAsked: Also those for which the backend asked for a pause.
  mutating func hasten(to moment: UInt64, evenIfAsked: Bool = false) {
    for index in waiting.indices where evenIfAsked || !waiting[index].isAskedToWait {
      waiting[index].notBefore = min(waiting[index].notBefore, moment)
    }
  }

  /// Lets batches that a format had no use for be tried from a moment on.
  mutating func unpark(at moment: UInt64) {
    for index in waiting.indices where waiting[index].isParked {
      waiting[index].isParked = false
      waiting[index].notBefore = min(waiting[index].notBefore, moment)
    }
  }

  /// Forgets the events up to a number that are not under way; those that were letters stay. Returns how many went.
  mutating func discard(upTo sequence: Int64) -> Int64 {
    let before = rows
    let count = ready.firstIndex { $0.sequence > sequence } ?? ready.count
    if count > 0 { settle(takeReady(Array(0..<count))) }
    for index in waiting.indices where waiting[index].letters.isEmpty {
      let gone = waiting[index].events.indices.filter { waiting[index].events[$0].sequence <= sequence }
      if !gone.isEmpty { settle(waiting[index].take(gone)) }
    }
    waiting.removeAll { $0.events.isEmpty }
    return Int64(clamping: before &- rows)
  }

  /// The batch that waits and comes first in the order of arrival.
  var head: Int? {
    waiting.indices.min { first(of: waiting[$0]) < first(of: waiting[$1]) }
  }

  private func first(of batch: DeliveryBatch) -> Int64 { batch.events.first?.sequence ?? .max }

  /// The first event of the queue that is not acknowledged. Letters are no longer in the queue.
  var oldest: QueuedEvent? {
    var oldest = ready.first
    func consider(_ batch: DeliveryBatch) {
      guard batch.letters.isEmpty, let first = batch.events.first else { return }
      if oldest.map({ first.sequence < $0.sequence }) ?? true { oldest = first }
    }
    for batch in waiting { consider(batch) }
    for batch in inFlight.values { consider(batch) }
    return oldest
  }

  /// Whether the first request of a group is under way.
  func isFirst(ofGroup group: String) -> Bool { inFlight.values.contains { $0.newGroup == group } }

  /// Whether letters are among the events.
  var holdsLetters: Bool {
    waiting.contains { !$0.letters.isEmpty } || inFlight.values.contains { !$0.letters.isEmpty }
  }

  /// The numbers of the queue's events that are not acknowledged, as ranges in order.
  var missing: [ClosedRange<Int64>] {
    var sequences = ready.map(\.sequence)
    for batch in waiting where batch.letters.isEmpty { sequences += batch.events.map(\.sequence) }
    for batch in inFlight.values where batch.letters.isEmpty { sequences += batch.events.map(\.sequence) }
    sequences.sort()
    var ranges: [ClosedRange<Int64>] = []
    for sequence in sequences {
      if let last = ranges.last, last.upperBound >= sequence &- 1 {
        ranges[ranges.count &- 1] = last.lowerBound...max(last.upperBound, sequence)
      } else {
        ranges.append(sequence...sequence)
      }
    }
    return ranges
  }
}
