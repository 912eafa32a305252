import Effects
import Glibc

/// The writer's side of a log file. Not sendable: it is handed over to its thread.
final class LogWriter {
  private let path: String
  private let lines: Monitor<LogLines>
  private let clock = SystemMonotonicClock()
  private var file: CInt = -1
  /// A pipe, a terminal or a device: writing there can wait for a reader, so little is written at once, and only when
  /// the system says that it is taken.
  private var canBlock = false

  init(path: String, lines: Monitor<LogLines>) {
    self.path = path
    self.lines = lines
  }

  deinit { closeFile() }

  /// Opens the file, or takes the standard output.
  func openFile() throws(StoreError) {
    guard file < 0 else { return }
    // Without waiting, because a named pipe that nobody reads would never open.
    file = path == "-" ? STDOUT_FILENO : try openPrivateFile(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK)
    var kind = stat()
    canBlock = fstat(file, &kind) != 0 || kind.st_mode & S_IFMT != S_IFREG
  }

  /// Writes the beginning of the bytes; how many there were.
  private func writeSome(_ bytes: ArraySlice<UInt8>) throws(StoreError) -> Int {
    var limit = bytes.count
    if canBlock {
      var entry = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
      guard poll(&entry, 1, 0) > 0 else { throw StoreError(.busy, "nobody reads \(path)") }
      limit = min(limit, Int(PIPE_BUF))
    }
    let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, limit) }
    guard count >= 0 else {
      if errno == EINTR { return 0 }
      if errno == EAGAIN { throw StoreError(.busy, "nobody reads \(path)") }
      throw systemStoreError(errno, "write \(path)")
    }
    return count
  }

  /// Works until the log is closed.
  func run() {
    var batch: [UInt8] = []
    while true {
      let step = lines.wait { lines -> Monitor<LogLines>.Step<Bool?> in
        guard let due = lines.dueTime else { return lines.isClosing ? .done(nil) : .wait }
        guard due <= clock.nanoseconds() else { return .waitUntil(nanoseconds: due) }
        return .done(lines.take(into: &batch))
      }
      guard let mustReopen = step else { return }
      writeOut(batch)
      if mustReopen {
        closeFile()
        attempt { () throws(StoreError) in try openFile() }
      }
      lines.withLock { $0.settle(reopened: mustReopen) }
      lines.wakeAll()
    }
  }

  /// Writes all of the batch, with pauses while the file refuses it. A line that was written in part is completed
  /// first, so lines stay whole. A close ends the attempts.
  private func writeOut(_ batch: [UInt8]) {
    var rest = batch[...]
    while !rest.isEmpty {
      let isDone = attempt { () throws(StoreError) in
        try openFile()
        let count = try writeSome(rest)
        rest = rest.dropFirst(count)
        lines.withLock { $0.status.writtenBytes += Int64(count) }
      }
      guard isDone || pause() else {
        let lost = rest.count { $0 == UInt8(ascii: "\n") }
        lines.withLock { $0.status.dropped += Int64(lost) }
        return
      }
    }
  }

  /// Runs the action; false, and counted, when it throws.
  @discardableResult
  private func attempt(_ action: () throws(StoreError) -> Void) -> Bool {
    do throws(StoreError) {
      try action()
      return true
    } catch {
      lines.withLock { lines in
        lines.status.failures += 1
        lines.status.lastError = error
      }
      return false
    }
  }

  /// Waits before the next attempt; false when the log is being closed. A reopening that is asked for meanwhile comes
  /// first, since it may be the remedy.
  private func pause() -> Bool {
    let end = clock.nanoseconds() &+ 500_000_000
    return lines.wait { lines in
      if lines.isClosing { return .done(false) }
      if lines.mustReopen {
        lines.mustReopen = false
        closeFile()
        return .done(true)
      }
      return clock.nanoseconds() >= end ? .done(true) : .waitUntil(nanoseconds: end)
    }
  }

  private func closeFile() {
    if file >= 0, file != STDOUT_FILENO { close(file) }
    file = -1
  }
}
