import Effects

/// Events that travel together, or wait to.
struct DeliveryBatch: Sendable {
  /// In order.
  var events: [QueuedEvent]
  /// The numbers of the letters that the events were, when they were dead and are queued again; else empty.
  var letters: [Int64] = []
  /// Requests that held these events.
  var attempts = 0
  /// Failures that count against the events, see ``DeliveryOptions/maximumTries``.
  var tries = 0
  /// Failures in a row.
  var failures = 0
  /// Not to be tried before.
  var notBefore: UInt64 = 0
  /// The backend asked for the pause itself.
  var isAskedToWait = false
  /// It is tried once.
  var isOnce = false
  /// The format has no use for it until something has happened.
  var isParked = false
  /// The group of the first event, when nothing of it had been delivered before the last try.
  var newGroup: String?
  /// When the last try began.
  var sentAt: UInt64 = 0
  /// How many requests had been delivered when the last try failed, or when the first began.
  var deliveredBefore: Int64 = 0

  /// Takes out the events at some offsets, which are made sound first: in order, once each, within the batch.
  mutating func take(_ indices: [Int]) -> DeliveryBatch {
    let chosen = Self.sound(indices, count: events.count)
    var taken = self
    taken.events = chosen.map { events[$0] }
    Self.remove(chosen, from: &events)
    if !letters.isEmpty {
      taken.letters = chosen.map { letters[$0] }
      Self.remove(chosen, from: &letters)
    }
    return taken
  }

  /// The two halves of a batch of several events, the first not smaller.
  func halves() -> (DeliveryBatch, DeliveryBatch) {
    var second = self
    let first = second.take(Array(0..<(events.count &+ 1) / 2))
    return (first, second)
  }

  /// Offsets in order, once each, all of them below the count.
  static func sound(_ indices: [Int], count: Int) -> [Int] {
    let isSound = zip(indices, indices.dropFirst()).allSatisfy { $0 < $1 }
    let ordered = isSound ? indices : Set(indices).sorted()
    guard let first = ordered.first, let last = ordered.last, first < 0 || last >= count else { return ordered }
    return ordered.filter { (0..<count).contains($0) }
  }

  /// Removes the elements at sound offsets.
  private static func remove<Element>(_ indices: [Int], from elements: inout [Element]) {
    guard let last = indices.last else { return }
    // Mostly a batch is taken off the front.
    if last == indices.count &- 1 { return elements.removeFirst(indices.count) }
    var rest: [Element] = []
    rest.reserveCapacity(elements.count &- indices.count)
    var next = 0
    for (offset, element) in elements.enumerated() {
      if next < indices.count, indices[next] == offset { next &+= 1 } else { rest.append(element) }
    }
    elements = rest
  }
}
