/// Those who wait for the same thing, first come, first served; anybody may leave before it is their turn.
///
/// Joining and serving cost constant time on average, leaving the logarithm of the line's length.
///
/// Inlinable, because unspecialized it took a tenth of the time of a proxy with thousands of clients of one origin.
package struct WaitingLine<Element> {
  /// By ascending ticket; the element is nil once it has left.
  @usableFromInline var places: [(ticket: Int, element: Element?)] = []
  /// The first place whose element waits.
  @usableFromInline var head = 0
  @usableFromInline var nextTicket = 0
  /// How many wait.
  @usableFromInline package var count = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { count == 0 }

  /// Who is next; nil when nobody waits.
  @inlinable package var first: Element? { head < places.count ? places[head].element : nil }

  /// Joins at the end. The ticket is for `leave(_:)`; none is given out twice.
  @inlinable package mutating func join(_ element: Element) -> Int {
    defer { nextTicket &+= 1 }
    places.append((nextTicket, element))
    count &+= 1
    return nextTicket
  }

  /// Leaves the line. A ticket that has been served or has left already changes nothing.
  @inlinable package mutating func leave(_ ticket: Int) {
    // Mostly it is whose turn it is.
    var low = head
    var high = low < places.count && places[low].ticket == ticket ? low : places.count
    while low < high {
      let middle = (low &+ high) / 2
      if places[middle].ticket < ticket { low = middle &+ 1 } else { high = middle }
    }
    guard low < places.count, places[low].ticket == ticket, places[low].element != nil else { return }
    clear(low)
  }

  /// Takes the one who is next out of the line.
  @inlinable package mutating func removeFirst() -> Element? {
    guard let first else { return nil }
    clear(head)
    return first
  }

  @inlinable mutating func clear(_ index: Int) {
    places[index].element = nil
    count &-= 1
    while head < places.count, places[head].element == nil { head &+= 1 }
    // Empty places go once they are the larger part, so that the line does not grow with those who have been here.
    guard places.count > count &* 2 &+ 32 else { return }
    places.removeAll { $0.element == nil }
    head = 0
  }
}
