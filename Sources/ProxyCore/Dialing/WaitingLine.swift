/// Those who wait for the same thing, first come, first served; anybody may leave before it is their turn.
///
/// Joining and serving cost constant time on average, leaving the logarithm of the line's length.
package struct WaitingLine<Element> {
  /// By ascending ticket; the element is nil once it has left.
  private var places: [(ticket: Int, element: Element?)] = []
  /// The first place whose element waits.
  private var head = 0
  private var nextTicket = 0
  /// How many wait.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// Who is next; nil when nobody waits.
  package var first: Element? { head < places.count ? places[head].element : nil }

  /// Joins at the end. The ticket is for `leave(_:)`; none is given out twice.
  package mutating func join(_ element: Element) -> Int {
    defer { nextTicket &+= 1 }
    places.append((nextTicket, element))
    count &+= 1
    return nextTicket
  }

  /// Leaves the line. A ticket that has been served or has left already changes nothing.
  package mutating func leave(_ ticket: Int) {
    var low = head
    var high = places.count
    while low < high {
      let middle = (low &+ high) / 2
      if places[middle].ticket < ticket { low = middle &+ 1 } else { high = middle }
    }
    guard low < places.count, places[low].ticket == ticket, places[low].element != nil else { return }
    clear(low)
  }

  /// Takes the one who is next out of the line.
  package mutating func removeFirst() -> Element? {
    guard let first else { return nil }
    clear(head)
    return first
  }

  private mutating func clear(_ index: Int) {
    places[index].element = nil
    count &-= 1
    while head < places.count, places[head].element == nil { head &+= 1 }
    // Empty places go once they are the larger part, so that the line does not grow with those who have been here.
    guard places.count > count &* 2 &+ 32 else { return }
    places.removeAll { $0.element == nil }
    head = 0
  }
}
