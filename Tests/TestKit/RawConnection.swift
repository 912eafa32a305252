import Foundation
import Synchronization

/// What went wrong on a test's socket.
public struct RawSocketError: Error, CustomStringConvertible {
  /// The call that failed and why, or the words given.
  public let description: String

  init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }

  /// An error in words.
  public init(words: String) { description = words }
}

/// A blocking TCP connection of a test: bytes in, bytes out, nothing understood. Reads end with an error after ten
/// seconds, so that a test cannot hang.
public final class RawConnection: Sendable {
  private struct State {
    /// How many calls use the descriptor now. It is not closed under them: its number would soon be that of another
    /// test's socket, and a thread that goes on sending would send to that.
    var users = 0
    var isClosed = false
    var buffer: [UInt8] = []
  }

  private let state = Mutex(State())
  private let descriptor: CInt

  /// Takes the descriptor over.
  public init(descriptor: CInt, timeoutSeconds: Int = 10) {
    self.descriptor = descriptor
    var timeout = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var one: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<CInt>.size))
  }

  /// Connects to a port of 127.0.0.1, or of ::1.
  ///
  /// - Parameters:
  ///   - source: the address of the 127.0.0.0/8 network to come from.
  ///   - receiveBuffer: the size of the kernel's buffer, for a reader that is to be slow.
  public convenience init(
    port: UInt16, ipv6: Bool = false, from source: String? = nil, receiveBuffer: CInt? = nil
  ) throws {
    let descriptor = socket(ipv6 ? AF_INET6 : AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw RawSocketError("socket") }
    if var size = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
    }
    if let source {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      inet_pton(AF_INET, source, &address.sin_addr)
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard bound == 0 else {
        let error = RawSocketError("bind")
        Glibc.close(descriptor)
        throw error
      }
    }
    guard LoopbackAddress.with(port: port, ipv6: ipv6, { connect(descriptor, $0, $1) }) == 0 else {
      let error = RawSocketError("connect")
      Glibc.close(descriptor)
      throw error
    }
    self.init(descriptor: descriptor)
  }

  deinit { close() }

  /// Calls with the descriptor, which stays open meanwhile.
  private func withDescriptor<R>(_ body: (CInt) -> R) throws -> R {
    try state.withLock { state in
      guard !state.isClosed else { throw RawSocketError(words: "the connection is closed") }
      state.users += 1
    }
    defer {
      let isLast = state.withLock { state in
        state.users -= 1
        return state.isClosed && state.users == 0
      }
      if isLast { Glibc.close(descriptor) }
    }
    return body(descriptor)
  }

  /// Sends all bytes.
  public func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = try withDescriptor { descriptor in
        bytes.withUnsafeBytes {
          Glibc.send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, CInt(MSG_NOSIGNAL))
        }
      }
      guard count > 0 else { throw RawSocketError("send") }
      sent += count
    }
  }

  /// Sends all of the text.
  public func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends the text one byte in each segment.
  public func sendSlowly(_ text: String) throws {
    for byte in text.utf8 { try send([byte]) }
  }

  private func fill() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = try withDescriptor { recv($0, &chunk, chunk.count, 0) }
    guard count >= 0 else { throw RawSocketError("recv") }
    state.withLock { $0.buffer += chunk[..<count] }
    return count > 0
  }

  /// Reads up to and including the marker.
  public func read(until marker: String) throws -> String {
    let marker = Array(marker.utf8)
    var searched = 0
    while true {
      let found = state.withLock { state -> [UInt8]? in
        guard state.buffer.count >= marker.count else { return nil }
        for start in max(searched - marker.count, 0)...(state.buffer.count - marker.count)
        where state.buffer[start..<start + marker.count].elementsEqual(marker) {
          let result = Array(state.buffer[..<(start + marker.count)])
          state.buffer.removeFirst(start + marker.count)
          return result
        }
        searched = state.buffer.count
        return nil
      }
      if let found { return String(decoding: found, as: UTF8.self) }
      guard try fill() else {
        let rest = state.withLock { String(decoding: $0.buffer, as: UTF8.self) }
        throw RawSocketError(words: "the stream ended before the marker, behind: \(rest)")
      }
    }
  }

  /// Reads exactly so many bytes.
  public func read(count: Int) throws -> [UInt8] {
    while true {
      let bytes = state.withLock { state -> [UInt8]? in
        guard state.buffer.count >= count else { return nil }
        defer { state.buffer.removeFirst(count) }
        return Array(state.buffer[..<count])
      }
      if let bytes { return bytes }
      guard try fill() else { throw RawSocketError(words: "the stream ended before \(count) bytes") }
    }
  }

  /// Reads to the end of the stream.
  public func readToEnd() throws -> [UInt8] {
    while try fill() {}
    return state.withLock { state in
      defer { state.buffer = [] }
      return state.buffer
    }
  }

  /// Reads to the end of the stream, as text.
  public func readTextToEnd() throws -> String { String(decoding: try readToEnd(), as: UTF8.self) }

  /// Whether nothing comes within the time, on an open connection.
  public func isSilent(milliseconds: CInt) -> Bool {
    guard state.withLock({ $0.buffer.isEmpty }) else { return false }
    let ready = try? withDescriptor { descriptor in
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, milliseconds)
    }
    return ready == 0
  }

  /// Says that nothing more will be sent.
  public func shutdownWriting() {
    _ = try? withDescriptor { shutdown($0, CInt(SHUT_WR)) }
  }

  /// Closes, and ends the calls of other threads; with `reset` the peer sees an error.
  public func close(reset: Bool = false) {
    let users: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.isClosed = true
      if reset {
        // Dissolving the association resets it and wakes who waits, as closing alone does not.
        var none = sockaddr(sa_family: sa_family_t(AF_UNSPEC), sa_data: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        connect(descriptor, &none, socklen_t(MemoryLayout<sockaddr>.size))
      } else if state.users > 0 {
        shutdown(descriptor, CInt(SHUT_RDWR))
      }
      return state.users
    }
    if users == 0 { Glibc.close(descriptor) }
  }
}

/// The loopback address in the form of the socket calls.
enum LoopbackAddress {
  static func with<R>(port: UInt16, ipv6: Bool, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    if ipv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = in6addr_loopback
      return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
