import Effects
import Foundation
import Glibc
import LoopRuntime
import TestKit
import Testing

@Suite struct ListenerTests {
  private static let loopback = IPAddress(v4: 0x7f00_0001)

  @Test func takesAFreePortAndAccepts() throws {
    let loop = try EventLoop()
    var accepted: [CInt] = []
    let listener = try Listener(loop, on: Endpoint(Self.loopback, port: 0)) {
      accepted.append($0)
      if accepted.count == 3 { loop.stop() }
    }
    let endpoint = try #require(listener.endpoint)
    #expect(endpoint.port > 0)
    let clients = try (0..<3).map { _ in try RawConnection(port: endpoint.port) }
    #expect(loop.runUntilStopped())
    for descriptor in accepted {
      #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
      var isUndelayed: CInt = 0
      var length = socklen_t(MemoryLayout<CInt>.size)
      #expect(getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isUndelayed, &length) == 0 && isUndelayed != 0)
      #expect(SocketAddress.of(descriptor: descriptor, peer: false) == endpoint)
      close(descriptor)
    }
    #expect(clients.count == 3)
  }

  @Test func sharesItsPortAmongWorkers() throws {
    let loop = try EventLoop()
    for address in [Self.loopback, IPAddress(high: 0, low: 1)] {
      let first = try Listener(loop, on: Endpoint(address, port: 0), sharing: true) { close($0) }
      let endpoint = try #require(first.endpoint)
      let second = try Listener(loop, on: endpoint, sharing: true) { close($0) }
      #expect(second.endpoint == endpoint)
    }
  }

  @Test func refusesAnAddressThatIsNotItsOwn() throws {
    let loop = try EventLoop()
    let error = #expect(throws: SystemError.self) {
      _ = try Listener(loop, on: Endpoint(IPAddress(v4: 0xc000_0201), port: 0)) { close($0) }
    }
    #expect(error?.code == EADDRNOTAVAIL)
  }

  @Test func stopsListeningWhenClosed() throws {
    let loop = try EventLoop()
    let listener = try Listener(loop, on: Endpoint(Self.loopback, port: 0)) { close($0) }
    let port = try #require(listener.endpoint).port
    listener.close()
    listener.close()
    #expect(throws: RawSocketError.self) { try RawConnection(port: port) }
  }

  // MARK: Unix sockets

  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
      "footfall-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: directory) } }
    try body(directory.appendingPathComponent("s").path)
  }

  private func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test func makesAUnixSocketForItsUserAlone() throws {
    try withDirectory { path in
      let loop = try EventLoop()
      let listener = try Listener(loop, unixPath: path) { close($0) }
      #expect(try mode(path) == 0o600)
      listener.close()
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func replacesASocketThatNobodyListensOn() throws {
    try withDirectory { path in
      let loop = try EventLoop()
      let stale = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
      let isBound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      try #require(isBound)
      close(stale)
      let listener = try Listener(loop, unixPath: path) { close($0) }
      #expect(try mode(path) == 0o600)
      listener.close()
    }
  }

  @Test func leavesABusySocketAndAFileAlone() throws {
    try withDirectory { path in
      let loop = try EventLoop()
      let listener = try Listener(loop, unixPath: path) { close($0) }
      let busy = #expect(throws: SystemError.self) { _ = try Listener(loop, unixPath: path) { close($0) } }
      #expect(busy?.code == EADDRINUSE)
      #expect(FileManager.default.fileExists(atPath: path))
      listener.close()
      try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: SystemError.self) { _ = try Listener(loop, unixPath: path) { close($0) } }
    }
  }

  @Test func refusesAPathThatIsTooLong() throws {
    let loop = try EventLoop()
    let error = #expect(throws: SystemError.self) {
      _ = try Listener(loop, unixPath: "/tmp/" + String(repeating: "x", count: 200)) { close($0) }
    }
    #expect(error?.code == ENAMETOOLONG)
  }
}
