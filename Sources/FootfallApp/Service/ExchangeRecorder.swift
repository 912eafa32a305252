import Effects
import LoopRuntime
import ProxyCore
import Recording
import Storage
import Synchronization

/// Writes finished exchanges down: takes the workers' batches, makes events and access-log lines of them on a thread of
/// its own, and hands those to the store and the log.
///
/// A worker only appends to a list here. When the thread falls behind by more than `capacity`, whole batches are dropped
/// and counted: traffic never waits.
final class ExchangeRecorder: Sendable {
  private struct State {
    var batches: [RecordBatch] = []
    var bytes = 0
    var dropped: Int64 = 0
    var isStopped = false
    var log: RotatableLogFile?
    /// Logs that were replaced: closed by the thread, which may still be writing to them.
    var replacedLogs: [RotatableLogFile] = []
    var thread: NativeThread?
    /// Those who wait until what came before them is written down.
    var waiting: [Gate] = []
  }

  private let state: Mutex<State>
  private let arrived = Gate()
  private let events: EventDatabase?
  private let tokens: any TokenSource
  private let asked: @Sendable (AskedGates) -> Void
  private let capacity: Int

  /// - Parameters:
  ///   - events: where events go; nil keeps none.
  ///   - log: the access log; nil writes none.
  ///   - asked: told of flags that decided about recorded exchanges; on the recorder's thread.
  ///   - capacity: bytes of batches that may wait.
  init(
    events: EventDatabase?, log: RotatableLogFile?, tokens: any TokenSource, capacity: Int = 32 << 20,
    asked: @escaping @Sendable (AskedGates) -> Void = { _ in }
  ) throws(SystemError) {
    self.events = events
    self.tokens = tokens
    self.asked = asked
    self.capacity = capacity
    state = Mutex(State(log: log))
    let thread = try NativeThread(name: "recorder") { [self] in run() }
    state.withLock { $0.thread = thread }
  }

  /// Takes a batch; from any thread, without waiting.
  func record(_ batch: RecordBatch) {
    let isFirst = state.withLock { state -> Bool in
      guard !state.isStopped, state.bytes + batch.byteCount <= capacity else {
        state.dropped += Int64(batch.count)
        return false
      }
      state.batches.append(batch)
      state.bytes += batch.byteCount
      return state.batches.count == 1
    }
    if isFirst { arrived.signal() }
  }

  /// Exchanges that were dropped because writing them down fell behind.
  var dropped: Int64 { state.withLock { $0.dropped } }

  /// The access log in use.
  var log: RotatableLogFile? { state.withLock { $0.log } }

  /// Replaces the access log; the old one is closed once the thread has written to it what it had taken.
  func use(_ log: RotatableLogFile?) {
    state.withLock { state in
      if let old = state.log { state.replacedLogs.append(old) }
      state.log = log
    }
    arrived.signal()
  }

  /// Returns once the store has been given all that was taken before, or after so long.
  func settle(milliseconds: Int) {
    let isDone = Gate()
    let isRunning = state.withLock { state in
      if state.thread != nil { state.waiting.append(isDone) }
      return state.thread != nil
    }
    guard isRunning else { return }
    arrived.signal()
    _ = isDone.wait(nanoseconds: UInt64(clamping: milliseconds) &* 1_000_000)
  }

  /// Writes down what has been taken and ends the thread.
  func stop() {
    let thread = state.withLock { state in
      state.isStopped = true
      let thread = state.thread
      state.thread = nil
      return thread
    }
    arrived.signal()
    thread?.join()
  }

  private func run() {
    var encoder = ExchangeEncoder()
    while true {
      arrived.wait()
      let (batches, log, replacedLogs, waiting, isStopped) = state.withLock { state in
        defer {
          state.batches = []
          state.bytes = 0
          state.replacedLogs = []
          state.waiting = []
        }
        return (state.batches, state.log, state.replacedLogs, state.waiting, state.isStopped)
      }
      for old in replacedLogs { old.close() }
      if let events {
        var encoded = EventBatch()
        for batch in batches { encoder.encode(batch, with: tokens, into: &encoded, asked: asked) }
        if !encoded.isEmpty { events.append(encoded) }
      }
      if let log {
        for batch in batches {
          for record in batch.records() { log.write(AccessLogLine.ndjson(record)) }
        }
      }
      for gate in waiting { gate.signal() }
      if isStopped { return }
    }
  }
}
