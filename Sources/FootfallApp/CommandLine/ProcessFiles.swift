import Glibc

/// Whole files and descriptors of the process, without Foundation.
enum ProcessFiles {
  /// The content of a file of at most 64 MiB.
  static func read(_ path: String) -> FileReading {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return failure() }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        return failure()
      }
      content.append(contentsOf: chunk.prefix(count))
      if content.count > 64 << 20 { return .failed(reason: "larger than 64 MiB") }
    }
    return .content(content)
  }

  /// The permission bits of a file; nil when it is not there.
  static func permissions(_ path: String) -> UInt32? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }

  private static func failure() -> FileReading {
    let code = errno
    let reason = String(cString: strerror(code))
    return switch code {
    case ENOENT, ENOTDIR: .missing
    case EACCES, EPERM: .denied(reason: reason)
    default: .failed(reason: reason)
    }
  }

  /// Writes all bytes to the descriptor. SIGPIPE is ignored by the caller, so a reader that has gone shows as EPIPE.
  static func write(_ bytes: [UInt8], to descriptor: CInt) -> Console.WriteOutcome {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let written = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if written > 0 {
          rest = rest.dropFirst(written)
          continue
        }
        switch errno {
        case EINTR: continue
        case EAGAIN:
          // A terminal or pipe that another program set to non-blocking.
          var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&entry, 1, -1)
        case EPIPE: return .closed
        default: return .failed(reason: String(cString: strerror(errno)))
        }
      }
      return .written
    }
  }
}
