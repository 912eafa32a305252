import Glibc
import Synchronization

/// Standard error for a service: a line is written whole or, when nobody takes it, dropped and counted, because a pipe
/// that nobody reads must not stop the loop that serves signals and the admin endpoint.
enum StandardError {
  private static let dropped = Mutex(0)

  /// Writes one line.
  static func offer(_ line: String) {
    dropped.withLock { dropped in
      guard isReady else {
        dropped += 1
        return
      }
      if dropped > 0 {
        write("\(dropped) lines were dropped here, because nobody took them")
        dropped = 0
        guard isReady else {
          dropped = 1
          return
        }
      }
      write(line)
    }
  }

  private static var isReady: Bool {
    var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLOUT) != 0
  }

  /// At most as much as a pipe that is ready takes without waiting (pipe(7)).
  private static func write(_ line: String) {
    var bytes = Array(line.utf8.prefix(Int(PIPE_BUF) - 1))
    bytes.append(UInt8(ascii: "\n"))
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}
