import CLibevent
import Glibc

/// One libevent event with a closure; for what happens rarely. Sockets on the data path have their own (`StreamSocket`).
final class LoopEvent {
  private let memory: OpaquePointer
  private let action: () -> Void

  init(loop: EventLoop, descriptor: CInt, flags: Int16, action: @escaping () -> Void) {
    self.action = action
    // event_new fails only without memory, as every Swift allocation does; then there is nothing left to run on.
    guard
      let memory = event_new(loop.base, descriptor, flags, nil, nil)
    else { preconditionFailure("event_new: out of memory") }
    self.memory = memory
    // Unretained because deinit frees the event before the object goes.
    event_assign(
      memory, loop.base, descriptor, flags,
      { _, _, pointer in
        guard let pointer else { return }
        Unmanaged<LoopEvent>.fromOpaque(pointer).takeUnretainedValue().action()
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { event_free(memory) }

  func add() { event_add(memory, nil) }

  func add(afterNanoseconds delay: UInt64) {
    // One microsecond more, so that the moment has passed when the timer fires.
    var time = timeval(
      tv_sec: Int(clamping: delay / 1_000_000_000), tv_usec: Int(delay % 1_000_000_000 / 1000) + 1)
    if time.tv_usec > 999_999 { time = timeval(tv_sec: time.tv_sec + 1, tv_usec: 0) }
    event_add(memory, &time)
  }

  func remove() { event_del(memory) }
}

/// A timer on a loop that fires once each time it is started.
package final class LoopTimer {
  private let event: LoopEvent
  /// Outlives the event, which libevent ties to the loop's base.
  private let loop: EventLoop

  package init(_ loop: EventLoop, _ action: @escaping () -> Void) {
    self.loop = loop
    event = LoopEvent(loop: loop, descriptor: -1, flags: 0, action: action)
  }

  /// Fires after the delay; an earlier start is replaced.
  package func start(afterMilliseconds delay: Int) {
    event.add(afterNanoseconds: UInt64(clamping: delay).multipliedReportingOverflow(by: 1_000_000).partialValue)
  }

  /// Does not fire any more.
  package func cancel() { event.remove() }
}

/// A signal delivered on a loop. One loop of the process may have them.
package final class SignalSource {
  private let event: LoopEvent
  /// Outlives the event, which libevent ties to the loop's base.
  private let loop: EventLoop

  package init(_ loop: EventLoop, signal: CInt, _ action: @escaping () -> Void) {
    self.loop = loop
    event = LoopEvent(loop: loop, descriptor: signal, flags: Int16(EV_SIGNAL | EV_PERSIST), action: action)
    event.add()
  }
}
