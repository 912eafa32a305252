/// Sockets in the order of their deadlines, coarse: slots of a tenth of a second, so that adding and removing costs the
/// same for any number of connections.
///
/// Links are unretained because a socket leaves the wheel before it goes (`StreamSocket.close`).
package struct DeadlineWheel {
  /// The width of a slot in nanoseconds: how late a deadline may be seen.
  static let slotWidth: UInt64 = 100_000_000
  private static let slotCount = 1024

  private var heads = [Unmanaged<StreamSocket>?](repeating: nil, count: DeadlineWheel.slotCount)
  /// The first slot (counted from the boot of the machine) that has not been emptied.
  private var current: UInt64 = 0
  package private(set) var count = 0

  /// Puts the socket into the slot of its deadline, or into the last one when that is farther away; it is looked at
  /// again then. Returns the moment at which the slot is due.
  @discardableResult
  mutating func insert(_ socket: StreamSocket) -> UInt64 {
    remove(socket)
    if count == 0 { current = max(current, EventLoop.nanoseconds() / DeadlineWheel.slotWidth) }
    let wanted = socket.deadline / DeadlineWheel.slotWidth &+ 1
    let slot = min(max(wanted, current), current &+ UInt64(DeadlineWheel.slotCount - 1))
    let index = Int(slot % UInt64(DeadlineWheel.slotCount))
    let entry = Unmanaged.passUnretained(socket)
    socket.wheelNext = heads[index]
    socket.wheelPrevious = nil
    heads[index]?.takeUnretainedValue().wheelPrevious = entry
    heads[index] = entry
    socket.wheelSlot = index
    socket.wheelMoment = slot &* DeadlineWheel.slotWidth
    count += 1
    return socket.wheelMoment
  }

  mutating func remove(_ socket: StreamSocket) {
    guard socket.wheelSlot >= 0 else { return }
    if let previous = socket.wheelPrevious {
      previous.takeUnretainedValue().wheelNext = socket.wheelNext
    } else {
      heads[socket.wheelSlot] = socket.wheelNext
    }
    socket.wheelNext?.takeUnretainedValue().wheelPrevious = socket.wheelPrevious
    socket.wheelNext = nil
    socket.wheelPrevious = nil
    socket.wheelSlot = -1
    socket.wheelMoment = UInt64.max
    count -= 1
  }

  /// Takes one socket out of a slot whose moment has passed.
  mutating func popDue(_ now: UInt64) -> StreamSocket? {
    let last = now / DeadlineWheel.slotWidth
    while count > 0, current <= last {
      if let entry = heads[Int(current % UInt64(DeadlineWheel.slotCount))] {
        let socket = entry.takeUnretainedValue()
        remove(socket)
        return socket
      }
      current += 1
    }
    if count == 0 { current = max(current, last) }
    return nil
  }

  /// When the next slot with a socket is due; nil when the wheel is empty.
  var nextMoment: UInt64? {
    guard count > 0 else { return nil }
    for offset in 0..<UInt64(DeadlineWheel.slotCount) {
      let slot = current &+ offset
      if heads[Int(slot % UInt64(DeadlineWheel.slotCount))] != nil { return slot &* DeadlineWheel.slotWidth }
    }
    return nil
  }
}
