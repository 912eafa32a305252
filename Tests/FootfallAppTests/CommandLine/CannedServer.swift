import Effects
import Glibc
import LoopRuntime
import Testing

/// A server on a free loopback port that reads something from one connection and answers the same bytes whatever it was.
final class CannedServer: Sendable {
  let port: UInt16
  private let listener: CInt
  private let thread: NativeThread

  /// - Parameter answer: What to send before closing; nil to stay silent until the client goes.
  init(_ answer: String?) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(bound == 0)
    try #require(listen(listener, 1) == 0)
    port = try #require(SocketAddress.of(descriptor: listener, peer: false)).port
    self.listener = listener
    thread = try NativeThread(name: "canned") {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { return }
      var buffer = [UInt8](repeating: 0, count: 4096)
      _ = recv(connection, &buffer, buffer.count, 0)
      if let answer {
        // The socket blocks, so one call takes everything unless the client goes.
        let bytes = Array(answer.utf8)
        _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
      } else {
        _ = recv(connection, &buffer, buffer.count, 0)
      }
      close(connection)
    }
  }

  /// Waits for the one connection to end.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    thread.join()
    close(listener)
  }
}
