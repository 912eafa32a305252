import CLibevent
import Glibc

/// One thread's event loop over libevent: readiness, timers, signals and a mailbox for other threads.
///
/// Everything but `mailbox` belongs to the thread that calls `run()`.
package final class EventLoop {
  let base: OpaquePointer
  /// The way in for other threads.
  package let mailbox: LoopMailbox
  private var mailEvent: LoopEvent?
  private var thread: pthread_t?
  package private(set) var deadlines = DeadlineWheel()
  /// Bytes in the buffers of the loop's connections; whoever allocates or frees one says so.
  package var bytesHeld = 0
  private var tick: LoopEvent?
  private var armedTick = UInt64.max

  /// A loop that no thread runs yet.
  package init() throws(SystemError) {
    guard let configuration = event_config_new() else { throw SystemError("event_config_new", code: ENOMEM) }
    defer { event_config_free(configuration) }
    // A base is used by its own thread alone, so libevent's locks would cost and protect nothing.
    event_config_set_flag(configuration, Int32(EVENT_BASE_FLAG_NOLOCK.rawValue))
    guard let base = event_base_new_with_config(configuration) else {
      throw SystemError("event_base_new_with_config", code: EMFILE)
    }
    self.base = base
    // Because writev(2) takes no MSG_NOSIGNAL: a connection that the peer has closed is an error, not the end.
    signal(SIGPIPE, SIG_IGN)
    do throws(SystemError) {
      mailbox = try LoopMailbox()
    } catch {
      event_base_free(base)
      throw error
    }
    let mail = LoopEvent(loop: self, descriptor: mailbox.descriptor, flags: Int16(EV_READ | EV_PERSIST)) {
      [unowned self] in mailbox.deliver()
    }
    mail.add()
    mailEvent = mail
    tick = LoopEvent(loop: self, descriptor: -1, flags: 0) { [unowned self] in ticked() }
  }

  deinit {
    mailEvent = nil
    tick = nil
    event_base_free(base)
  }

  /// The version of libevent in use.
  package static var libraryVersion: String { String(cString: event_get_version()) }

  /// Serves events on the calling thread until `stop()`.
  package func run() {
    thread = pthread_self()
    event_base_loop(base, Int32(EVLOOP_NO_EXIT_ON_EMPTY))
  }

  /// Makes `run()` return after the events at hand; on the loop's thread.
  package func stop() { event_base_loopbreak(base) }

  /// Traps in debug builds when the caller is not the loop's thread.
  package func assertOnLoop() {
    assert(thread.map { pthread_equal($0, pthread_self()) != 0 } ?? true, "used off its loop's thread")
  }

  /// Now on the monotonic clock, nanoseconds.
  package static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }

  /// Now on the wall clock, milliseconds since the epoch.
  package static func wallMilliseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000
  }

  /// Calls `deadlineReached` of the socket once the moment has passed, unless a later call moves it.
  ///
  /// Moving a deadline into the future costs one store; the wheel looks at it again when the old moment comes.
  @inlinable
  package func setDeadline(_ socket: StreamSocket, at nanoseconds: UInt64) {
    socket.deadline = nanoseconds
    if nanoseconds < socket.wheelMoment { schedule(socket) }
  }

  /// Removes the deadline; the entry leaves the wheel when its moment comes or the socket closes.
  @inlinable
  package func clearDeadline(_ socket: StreamSocket) { socket.deadline = UInt64.max }

  @usableFromInline
  func schedule(_ socket: StreamSocket) {
    // The wheel does not keep a socket alive, so a closed one must not get into it.
    guard !socket.isClosed else { return }
    let moment = deadlines.insert(socket)
    if moment < armedTick { arm(moment) }
  }

  func unschedule(_ socket: StreamSocket) { deadlines.remove(socket) }

  private func arm(_ moment: UInt64) {
    armedTick = moment
    let now = EventLoop.nanoseconds()
    tick?.add(afterNanoseconds: moment > now ? moment - now : 1)
  }

  private func ticked() {
    let now = EventLoop.nanoseconds()
    armedTick = UInt64.max
    while let socket = deadlines.popDue(now) {
      if socket.deadline <= now {
        socket.deadline = UInt64.max
        socket.deadlineReached()
      } else if socket.deadline != UInt64.max {
        deadlines.insert(socket)
      }
    }
    if let next = deadlines.nextMoment, next < armedTick { arm(next) }
  }
}
