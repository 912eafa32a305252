import Effects
import Glibc
import LoopRuntime
import Testing

/// A blocking client that sends exactly the bytes it is told to; no wait is longer than a minute,
/// which only a hang or a sanitizer on a busy machine comes near.
final class RawClient {
  private let descriptor: CInt

  init(_ endpoint: Endpoint?) throws {
    let endpoint = try #require(endpoint)
    descriptor = try Dialer.start(endpoint)
    try prepare()
  }

  init(unixPath path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    try prepare()
  }

  deinit { Glibc.close(descriptor) }

  private func prepare() throws {
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    try #require(poll(&entry, 1, 10_000) == 1)
    try #require(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) == 0)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// Sends all bytes, or as many as the peer takes before it closes.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// How a stream ended.
  enum End: Equatable {
    case closed, reset, timeout
  }

  /// Everything until the peer ends the connection, and how it did.
  func readToEnd() -> (text: String, end: End) {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = recv(descriptor, &chunk, chunk.count, 0)
      if count > 0 {
        bytes.append(contentsOf: chunk.prefix(count))
      } else {
        let end: End = count == 0 ? .closed : errno == ECONNRESET ? .reset : .timeout
        return (String(decoding: bytes, as: UTF8.self), end)
      }
    }
  }

  /// One response with the body that its Content-Length announces.
  func readResponse() throws -> (status: Int, head: String, body: String) {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      try #require(recv(descriptor, &byte, 1, 0) == 1, "the connection ended inside a head")
      bytes.append(byte)
    }
    let head = String(decoding: bytes, as: UTF8.self)
    let status = try #require(Int(head.dropFirst("HTTP/1.1 ".count).prefix(3)))
    let prefix = "Content-Length: "
    let line = head.split(separator: "\r\n").first { $0.hasPrefix(prefix) }
    let length = line.flatMap { Int($0.dropFirst(prefix.count)) } ?? 0
    var body: [UInt8] = []
    while body.count < length {
      try #require(recv(descriptor, &byte, 1, 0) == 1, "the connection ended inside a body")
      body.append(byte)
    }
    return (status, head, String(decoding: body, as: UTF8.self))
  }
}
