import Foundation
import Synchronization

/// A server of a test that does on each connection what its script says, on a thread of its own, and keeps what it was
/// sent.
public final class ScriptedOrigin: Sendable {
  /// One connection of the origin. `number` counts connections from 0.
  public struct Turn: Sendable {
    /// The accepted connection.
    public let connection: RawConnection
    /// How many connections came before.
    public let number: Int
    let origin: ScriptedOrigin
    /// Where the origin listens.
    public var port: UInt16 { origin.port }

    /// Reads the head of the next request and remembers it.
    public func readHead() throws -> String {
      let head = try connection.read(until: "\r\n\r\n")
      origin.received.withLock { $0.append(head) }
      return head
    }

    /// Reads the next request with its body, which is remembered behind the head.
    public func readRequest() throws -> String {
      var request = try connection.read(until: "\r\n\r\n")
      let fields = request.lowercased().components(separatedBy: "\r\n")
      if let length = fields.first(where: { $0.hasPrefix("content-length:") }) {
        let count = Int(length.dropFirst(15).trimmingCharacters(in: .whitespaces)) ?? 0
        request += String(decoding: try connection.read(count: count), as: UTF8.self)
      } else if fields.contains("transfer-encoding: chunked") {
        while true {
          let size = try connection.read(until: "\r\n")
          request += size
          let count = Int(size.trimmingCharacters(in: .newlines), radix: 16) ?? 0
          if count == 0 { break }
          request += String(decoding: try connection.read(count: count + 2), as: UTF8.self)
        }
        while true {
          let line = try connection.read(until: "\r\n")
          request += line
          if line == "\r\n" { break }
        }
      }
      origin.received.withLock { $0.append(request) }
      return request
    }
  }

  private let descriptor: CInt
  /// Where the origin listens, on 127.0.0.1 or ::1.
  public let port: UInt16
  fileprivate let received = Mutex<[String]>([])
  private let accepted = Mutex(0)
  private let isStopped = Mutex(false)

  /// Listens and runs the script for each connection; when it returns or throws, the connection is closed.
  ///
  /// - Parameter port: where to listen; 0 for a free port.
  public init(ipv6: Bool = false, port: UInt16 = 0, _ script: @escaping @Sendable (Turn) throws -> Void) throws {
    let descriptor = socket(ipv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw RawSocketError("socket") }
    self.descriptor = descriptor
    guard LoopbackAddress.with(port: port, ipv6: ipv6, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 1024) == 0
    else { throw RawSocketError("listen") }
    self.port = try ScriptedOrigin.boundPort(descriptor)
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard let self, !isStopped.withLock({ $0 }) else {
          if connection >= 0 { Glibc.close(connection) }
          Glibc.close(descriptor)
          return
        }
        // Without descriptors for a while; the listener stays open, because its owner still has its number.
        guard connection >= 0 else {
          usleep(1000)
          continue
        }
        serve(RawConnection(descriptor: connection), script)
      }
    }
  }

  /// Answers every request, with its body read, by what the closure makes of it, until the client closes.
  public static func answering(
    ipv6: Bool = false, port: UInt16 = 0, _ answer: @escaping @Sendable (String) -> String
  ) throws -> ScriptedOrigin {
    try ScriptedOrigin(ipv6: ipv6, port: port) { turn in
      while true { try turn.connection.send(answer(try turn.readRequest())) }
    }
  }

  deinit {
    isStopped.withLock { $0 = true }
    // The accepting thread closes the socket when this wakes it.
    shutdown(descriptor, CInt(SHUT_RDWR))
  }

  /// The requests in the order in which they came.
  public var requests: [String] { received.withLock { $0 } }

  /// The connections so far.
  public var connections: Int { accepted.withLock { $0 } }

  private func serve(_ connection: RawConnection, _ script: @escaping @Sendable (Turn) throws -> Void) {
    let number = accepted.withLock { count in
      defer { count += 1 }
      return count
    }
    let turn = Turn(connection: connection, number: number, origin: self)
    Thread.detachNewThread {
      // A script ends by throwing when its peer has gone; what the test wants to know it looks at itself.
      do { try script(turn) } catch {}
      turn.connection.close()
    }
  }

  static func boundPort(_ descriptor: CInt) throws -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard result == 0 else { throw RawSocketError("getsockname") }
    // sin_port and sin6_port lie at the same place.
    return withUnsafeBytes(of: &storage) { UInt16(bigEndian: $0.loadUnaligned(fromByteOffset: 2, as: UInt16.self)) }
  }
}
