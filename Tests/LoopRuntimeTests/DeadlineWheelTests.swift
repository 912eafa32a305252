import Glibc
import Testing

@testable import LoopRuntime

@Suite struct DeadlineWheelTests {
  private static let second: UInt64 = 1_000_000_000

  /// Sockets with those deadlines, seconds from now, not yet in any wheel.
  private func sockets(_ loop: EventLoop, _ now: UInt64, _ seconds: [Double]) throws -> [ProbeSocket] {
    try seconds.map {
      let (one, other) = try connectedPair()
      close(other)
      let socket = ProbeSocket(loop, descriptor: one)
      socket.deadline = now + UInt64($0 * Double(Self.second))
      return socket
    }
  }

  private func popAll(_ wheel: inout DeadlineWheel, at moment: UInt64) -> [StreamSocket] {
    var popped: [StreamSocket] = []
    while let socket = wheel.popDue(moment) { popped.append(socket) }
    return popped
  }

  private func same(_ one: [StreamSocket], _ other: [StreamSocket]) -> Bool { one.elementsEqual(other) { $0 === $1 } }

  @Test func givesSocketsInTheOrderOfTheirSlotsAndNeverEarly() throws {
    let loop = try EventLoop()
    let now = EventLoop.nanoseconds()
    let sockets = try sockets(loop, now, [5, 0.25, 3, 0.95, 90])
    defer { for socket in sockets { socket.close() } }
    var wheel = DeadlineWheel()
    for socket in sockets {
      let moment = wheel.insert(socket)
      #expect(moment > socket.deadline && moment - socket.deadline <= DeadlineWheel.slotWidth)
    }
    #expect(wheel.count == 5)
    #expect(wheel.nextMoment == sockets[1].wheelMoment)
    var order: [StreamSocket] = []
    for tenth in 0...1000 {
      let moment = now + UInt64(tenth) * Self.second / 10
      for socket in popAll(&wheel, at: moment) {
        #expect(socket.deadline <= moment)
        #expect(moment - socket.deadline <= 2 * DeadlineWheel.slotWidth)
        order.append(socket)
      }
    }
    #expect(same(order, [sockets[1], sockets[3], sockets[2], sockets[0], sockets[4]]))
    #expect(wheel.count == 0)
    #expect(wheel.nextMoment == nil)
  }

  @Test func looksAgainAtADeadlineBeyondItsHorizon() throws {
    let loop = try EventLoop()
    let now = EventLoop.nanoseconds()
    let far = try sockets(loop, now, [600])[0]
    defer { far.close() }
    var wheel = DeadlineWheel()
    var moment = wheel.insert(far)
    var looks = 0
    while moment < far.deadline {
      #expect(wheel.popDue(moment) === far)
      moment = wheel.insert(far)
      looks += 1
    }
    #expect(looks == 5)
    #expect(moment - far.deadline <= DeadlineWheel.slotWidth)
    #expect(wheel.popDue(moment) === far)
  }

  @Test func takesADeadlineThatHasPassedAtOnce() throws {
    let loop = try EventLoop()
    let now = EventLoop.nanoseconds()
    let sockets = try sockets(loop, now, [50, 0])
    defer { for socket in sockets { socket.close() } }
    var wheel = DeadlineWheel()
    wheel.insert(sockets[0])
    #expect(popAll(&wheel, at: now + 20 * Self.second).isEmpty)
    wheel.insert(sockets[1])
    #expect(same(popAll(&wheel, at: now + 21 * Self.second), [sockets[1]]))
    #expect(wheel.count == 1)
  }

  @Test func removesFromAnyPlaceOfASlot() throws {
    let loop = try EventLoop()
    let now = EventLoop.nanoseconds()
    for removed in 0..<4 {
      let sockets = try sockets(loop, now, [1, 1, 1, 1])
      defer { for socket in sockets { socket.close() } }
      var wheel = DeadlineWheel()
      for socket in sockets { wheel.insert(socket) }
      wheel.remove(sockets[removed])
      wheel.remove(sockets[removed])
      #expect(wheel.count == 3)
      let rest = popAll(&wheel, at: now + 2 * Self.second)
      #expect(rest.count == 3)
      #expect(!rest.contains { $0 === sockets[removed] })
    }
  }

  @Test func survivesALongSleepOfTheMachine() throws {
    let loop = try EventLoop()
    let now = EventLoop.nanoseconds()
    let sockets = try sockets(loop, now, [1, 30, 5000])
    defer { for socket in sockets { socket.close() } }
    var wheel = DeadlineWheel()
    for socket in sockets { wheel.insert(socket) }
    let late = now + 4000 * Self.second
    var due: [StreamSocket] = []
    while let socket = wheel.popDue(late) {
      if socket.deadline <= late { due.append(socket) } else { wheel.insert(socket) }
    }
    #expect(same(due, [sockets[0], sockets[1]]))
    #expect(wheel.count == 1)
    #expect(try #require(wheel.nextMoment) > late)
  }
}
