import CLibevent
package import Effects
import Glibc

/// An endpoint in the form that the socket calls take.
package struct SocketAddress: Sendable {
  private var storage = sockaddr_storage()
  private var length: socklen_t = 0

  /// The form of that endpoint.
  package init(_ endpoint: Endpoint) {
    if endpoint.address.isIPv6 {
      var raw = sockaddr_in6()
      raw.sin6_family = sa_family_t(AF_INET6)
      raw.sin6_port = endpoint.port.bigEndian
      raw.sin6_scope_id = endpoint.scope
      var bytes = (endpoint.address.high.bigEndian, endpoint.address.low.bigEndian)
      memcpy(&raw.sin6_addr, &bytes, 16)
      memcpy(&storage, &raw, MemoryLayout<sockaddr_in6>.size)
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    } else {
      var raw = sockaddr_in()
      raw.sin_family = sa_family_t(AF_INET)
      raw.sin_port = endpoint.port.bigEndian
      raw.sin_addr.s_addr = UInt32(truncatingIfNeeded: endpoint.address.low).bigEndian
      memcpy(&storage, &raw, MemoryLayout<sockaddr_in>.size)
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
    }
  }

  /// The address family, AF_INET or AF_INET6.
  package var family: Int32 { Int32(storage.ss_family) }

  /// Calls the body with the address as the socket calls want it.
  func withPointer<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    withUnsafePointer(to: storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// The endpoint that a socket call filled in; nil for other families.
  static func endpoint(_ raw: UnsafePointer<sockaddr>) -> Endpoint? {
    let bytes = UnsafeRawPointer(raw)
    switch Int32(raw.pointee.sa_family) {
    case AF_INET:
      let value = bytes.loadUnaligned(as: sockaddr_in.self)
      return Endpoint(IPAddress(v4: UInt32(bigEndian: value.sin_addr.s_addr)), port: UInt16(bigEndian: value.sin_port))
    case AF_INET6:
      let value = bytes.loadUnaligned(as: sockaddr_in6.self)
      let address = bytes + (MemoryLayout<sockaddr_in6>.offset(of: \.sin6_addr) ?? 8)
      return Endpoint(
        IPAddress(
          high: UInt64(bigEndian: address.loadUnaligned(as: UInt64.self)),
          low: UInt64(bigEndian: (address + 8).loadUnaligned(as: UInt64.self))),
        port: UInt16(bigEndian: value.sin6_port), scope: value.sin6_scope_id)
    default: return nil
    }
  }

  /// The local or the remote endpoint of a socket; nil when it has none.
  package static func of(descriptor: CInt, peer: Bool) -> Endpoint? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        let result = peer ? getpeername(descriptor, raw, &length) : getsockname(descriptor, raw, &length)
        return result == 0 ? endpoint(UnsafePointer(raw)) : nil
      }
    }
  }

  /// The address that the text names, in the strict forms of inet_pton(3); no names, no folded numbers.
  package static func parse(_ text: String) -> IPAddress? {
    var v4 = in_addr()
    if inet_pton(AF_INET, text, &v4) == 1 { return IPAddress(v4: UInt32(bigEndian: v4.s_addr)) }
    var bytes: (UInt64, UInt64) = (0, 0)
    if inet_pton(AF_INET6, text, &bytes) == 1 {
      return IPAddress(high: UInt64(bigEndian: bytes.0), low: UInt64(bigEndian: bytes.1))
    }
    return nil
  }

  /// The addresses of this host's interfaces, loopback included.
  package static func localAddresses() -> [IPAddress] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var addresses: [IPAddress] = []
    var next = first
    while let entry = next {
      if let raw = entry.pointee.ifa_addr, let endpoint = endpoint(raw) { addresses.append(endpoint.address) }
      next = entry.pointee.ifa_next
    }
    return addresses
  }
}
