package import Effects
import Glibc

/// An append-only file of lines, for the access log.
///
/// Lines are gathered and written by a thread of their own, at most 200 ms later, so that a slow disk or a blocked pipe
/// never delays a request. What does not fit into memory is dropped, whole lines, and counted. ``reopen()`` follows a
/// rotation. The path `-` stands for the standard output.
package final class RotatableLogFile: Sendable {
  /// Counters since the file was opened.
  package struct Status: Sendable, Hashable {
    /// Bytes written.
    package var writtenBytes: Int64 = 0
    /// Lines dropped because too many were waiting.
    package var dropped: Int64 = 0
    /// Failed attempts to open or write.
    package var failures: Int64 = 0
    /// The last failure, kept after recovery.
    package var lastError: StoreError?
  }

  private let lines: Monitor<LogLines>
  private let thread: WorkerThread
  private let clock = SystemMonotonicClock()

  /// Opens the file for appending, with mode 0600 if it is new.
  ///
  /// - Throws: when it cannot be opened now; a later failure is counted and retried.
  package init(path: String, pendingBytes: Int = 4 << 20) throws(StoreError) {
    let lines = Monitor(LogLines(maximumBytes: pendingBytes))
    let writer = LogWriter(path: path, lines: lines)
    try writer.openFile()
    self.lines = lines
    thread = try WorkerThread(name: "footfall-log") { writer.run() }
  }

  deinit { close() }

  /// Hands over one line that ends with a line feed. Never blocks on the file and never fails.
  package func write(_ line: [UInt8]) {
    let now = clock.nanoseconds()
    if lines.withLock({ $0.accept(line, now: now) }) { lines.wakeAll() }
  }

  /// Writes what is waiting into the old file, then opens the path anew: for SIGUSR1 after a rotation.
  package func reopen() {
    lines.withLock { $0.mustReopen = true }
    lines.wakeAll()
  }

  /// Waits until everything written and a requested reopening are done, or the time is over.
  @discardableResult
  package func flush(timeoutMilliseconds: Int) -> Bool {
    let deadline = clock.nanoseconds() &+ UInt64(clamping: timeoutMilliseconds) &* 1_000_000
    lines.withLock { $0.isFlushing = true }
    lines.wakeAll()
    return lines.wait { lines in
      if lines.isIdle { return .done(true) }
      return clock.nanoseconds() >= deadline ? .done(false) : .waitUntil(nanoseconds: deadline)
    }
  }

  /// The counters.
  package var status: Status { lines.withLock { $0.status } }

  /// Writes what is waiting, if the file accepts it, and closes it. Further lines are dropped and counted.
  package func close() {
    let isFirst = lines.withLock { lines in
      defer { lines.isClosing = true }
      return !lines.isClosing
    }
    guard isFirst else { return }
    lines.wakeAll()
    thread.join()
  }
}

/// What the callers of a log and its writer share.
struct LogLines: Sendable {
  var status = RotatableLogFile.Status()
  var mustReopen = false
  var isFlushing = false
  var isClosing = false
  private(set) var waiting: [UInt8] = []
  private var isWriting = false
  private var oldestArrival: UInt64 = 0
  private let maximumBytes: Int
  private static let groupBytes = 64 << 10
  private static let groupNanoseconds: UInt64 = 200_000_000

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Nothing waits and nothing is being done.
  var isIdle: Bool { waiting.isEmpty && !isWriting && !mustReopen }

  /// Takes a line in, or counts it as dropped; returns whether the writer must be woken.
  mutating func accept(_ line: [UInt8], now: UInt64) -> Bool {
    guard !isClosing, waiting.count + line.count <= maximumBytes else {
      status.dropped += 1
      return false
    }
    let before = waiting.count
    waiting += line
    if before == 0 {
      oldestArrival = now
      return true
    }
    return before < Self.groupBytes && waiting.count >= Self.groupBytes
  }

  /// When the writer should take the waiting lines; nil when there is nothing to do.
  var dueTime: UInt64? {
    if mustReopen { return 0 }
    guard !waiting.isEmpty else { return nil }
    return isClosing || isFlushing || waiting.count >= Self.groupBytes ? 0 : oldestArrival &+ Self.groupNanoseconds
  }

  /// Hands the waiting lines to the writer; returns whether it must open the file anew after writing them.
  mutating func take(into batch: inout [UInt8]) -> Bool {
    batch.removeAll(keepingCapacity: batch.capacity <= 4 * Self.groupBytes)
    swap(&batch, &waiting)
    isWriting = true
    isFlushing = false
    return mustReopen
  }

  /// The writer has dealt with what it took.
  mutating func settle(reopened: Bool) {
    isWriting = false
    if reopened { mustReopen = false }
  }
}
