import Glibc
import LoopRuntime
import Synchronization
import Testing

@Suite struct EventLoopTests {
  @Test func runsJobsOfOtherThreadsInOrderOnItsOwn() throws {
    let loop = try EventLoop()
    let mailbox = loop.mailbox
    let done = LoopBound(loop, on: loop)
    let order = Mutex<[Int]>([])
    let loopThread = pthread_self()
    let isOnLoop = Mutex(true)
    let sender = try NativeThread(name: "sender") {
      for number in 0..<1000 {
        mailbox.post {
          order.withLock { $0.append(number) }
          if pthread_equal(pthread_self(), loopThread) == 0 { isOnLoop.withLock { $0 = false } }
        }
      }
      mailbox.post { done.value.stop() }
    }
    #expect(loop.runUntilStopped())
    sender.join()
    #expect(order.withLock { $0 } == Array(0..<1000))
    #expect(isOnLoop.withLock { $0 })
  }

  @Test func losesNoJobOfManyThreads() throws {
    let loop = try EventLoop()
    let mailbox = loop.mailbox
    let bound = LoopBound(loop, on: loop)
    let count = Mutex(0)
    let senders = try (0..<4).map { number in
      try NativeThread(name: "sender-\(number)") {
        for _ in 0..<5000 {
          mailbox.post {
            let all = count.withLock { count -> Int in
              count += 1
              return count
            }
            if all == 20_000 { bound.value.stop() }
          }
        }
      }
    }
    #expect(loop.runUntilStopped())
    for sender in senders { sender.join() }
    #expect(count.withLock { $0 } == 20_000)
  }

  @Test func runsAJobThatAJobPosts() throws {
    let loop = try EventLoop()
    let mailbox = loop.mailbox
    let bound = LoopBound(loop, on: loop)
    mailbox.post { mailbox.post { bound.value.stop() } }
    #expect(loop.runUntilStopped())
  }

  @Test func letsAParcelGoWhenItIsTaken() throws {
    final class Content {}
    let loop = try EventLoop()
    weak var observed: Content?
    let parcel: LoopParcel<Content>
    do {
      let content = Content()
      observed = content
      parcel = LoopParcel(content, on: loop)
    }
    #expect(observed != nil)
    #expect(parcel.take() != nil)
    #expect(observed == nil)
    #expect(parcel.take() == nil)
  }

  // MARK: Timers

  @Test func firesTimersInOrderAndNotAfterCancel() throws {
    let loop = try EventLoop()
    var fired: [Int] = []
    let late = LoopTimer(loop) {
      fired.append(400)
      loop.stop()
    }
    let early = LoopTimer(loop) { fired.append(20) }
    let cancelled = LoopTimer(loop) { fired.append(30) }
    let restarted = LoopTimer(loop) { fired.append(200) }
    late.start(afterMilliseconds: 400)
    early.start(afterMilliseconds: 20)
    cancelled.start(afterMilliseconds: 30)
    cancelled.cancel()
    restarted.start(afterMilliseconds: 1)
    restarted.start(afterMilliseconds: 200)
    #expect(loop.runUntilStopped())
    #expect(fired == [20, 200, 400])
  }

  @Test func goesTogetherWithATimerThatOutlivesIt() throws {
    var timer: LoopTimer?
    do {
      let loop = try EventLoop()
      timer = LoopTimer(loop) {}
      timer?.start(afterMilliseconds: 1000)
    }
    // The loop lives as long as the timer; both go here.
    timer = nil
    #expect(timer == nil)
  }

  // MARK: Deadlines

  @Test func callsDeadlinesOnceNotEarlyAndNotWhenMovedClearedOrClosed() throws {
    let loop = try EventLoop()
    let start = EventLoop.nanoseconds()
    var log: [String: UInt64] = [:]
    func socket(_ name: String) throws -> ProbeSocket {
      let (one, other) = try connectedPair()
      close(other)
      let socket = ProbeSocket(loop, descriptor: one)
      socket.onDeadline = {
        #expect(log[name] == nil)
        log[name] = EventLoop.nanoseconds() - start
        if name == "last" { loop.stop() }
        if name == "closes itself" { $0.close() }
      }
      return socket
    }
    let milliseconds: UInt64 = 1_000_000
    let plain = try socket("plain")
    loop.setDeadline(plain, at: start + 100 * milliseconds)
    let later = try socket("moved later")
    loop.setDeadline(later, at: start + 100 * milliseconds)
    loop.setDeadline(later, at: start + 400 * milliseconds)
    let earlier = try socket("moved earlier")
    loop.setDeadline(earlier, at: start + 60_000 * milliseconds)
    loop.setDeadline(earlier, at: start + 100 * milliseconds)
    let cleared = try socket("cleared")
    loop.setDeadline(cleared, at: start + 100 * milliseconds)
    loop.clearDeadline(cleared)
    let rearmed = try socket("rearmed")
    loop.setDeadline(rearmed, at: start + 5000 * milliseconds)
    loop.clearDeadline(rearmed)
    loop.setDeadline(rearmed, at: start + 200 * milliseconds)
    let closing = try socket("closes itself")
    loop.setDeadline(closing, at: start + 100 * milliseconds)
    let gone = try socket("closed")
    loop.setDeadline(gone, at: start + 100 * milliseconds)
    gone.close()
    loop.setDeadline(gone, at: start + 1)
    let last = try socket("last")
    loop.setDeadline(last, at: start + 700 * milliseconds)
    #expect(loop.runUntilStopped())
    #expect(Set(log.keys) == ["plain", "moved later", "moved earlier", "rearmed", "closes itself", "last"])
    #expect(try #require(log["plain"]) >= 100 * milliseconds)
    #expect(try #require(log["moved later"]) >= 400 * milliseconds)
    #expect(try #require(log["rearmed"]) >= 200 * milliseconds)
    for socket in [plain, later, earlier, cleared, rearmed, last] { socket.close() }
    #expect(loop.deadlines.count == 0)
  }
}
