import AdminServer
import Effects
import Foundation
import LoopRuntime
import Testing

@Suite struct AdminServerTests {
  private func request(_ method: String, _ target: String, _ port: UInt16, _ more: String = "") -> String {
    "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(more)\r\n"
  }

  private func scratchDirectory() throws -> String {
    // Short, because a socket's path has at most 107 bytes.
    let path = "/tmp/footfall-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    return path
  }

  @Test func guardsFollowFromThePortThatTheKernelGave() throws {
    let served = try ServedEndpoint()
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let client = try RawClient(served.endpoint)
    client.send(request("GET", "/livez", port))
    #expect(try client.readResponse().status == 200)
    client.send("GET /livez HTTP/1.1\r\nHost: evil.example:\(port)\r\n\r\n")
    #expect(try client.readResponse().status == 403)
  }

  @Test func asksForTheToken() throws {
    let served = try ServedEndpoint(token: "secret")
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let client = try RawClient(served.endpoint)
    client.send(request("GET", "/status", port))
    #expect(try client.readResponse().status == 401)
    client.send(request("GET", "/status", port, "Authorization: Bearer secret\r\n"))
    #expect(try client.readResponse().status == 200)
  }

  @Test func aUnixSocketIsForItsOwnerAlone() throws {
    let directory = try scratchDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/admin.sock"
    let served = try ServedEndpoint(at: .unix(path: path))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let client = try RawClient(unixPath: path)
    client.send("GET /livez HTTP/1.1\r\nHost: anything\r\n\r\n")
    #expect(try client.readResponse().status == 200)
    served.stop()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func replacesASocketFileOnlyWhenNobodyListens() throws {
    let directory = try scratchDirectory()
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let path = directory + "/admin.sock"
    let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    close(stale)

    let served = try ServedEndpoint(at: .unix(path: path))
    defer { served.stop() }
    #expect(throws: SystemError.self) { try ServedEndpoint(at: .unix(path: path)) }
    let client = try RawClient(unixPath: path)
    client.send("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try client.readResponse().status == 200)
  }

  @Test func aSlowClientHindersNobodyAndIsTimedOut() throws {
    var options = AdminServerOptions()
    options.requestDeadline = 200
    let served = try ServedEndpoint(options: options)
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let slow = try (0..<8).map { _ in try RawClient(served.endpoint) }
    for client in slow { client.send("GET /status HTTP/1.1\r\nHost:") }
    let quick = try RawClient(served.endpoint)
    for _ in 0..<20 {
      quick.send(request("GET", "/status", port))
      #expect(try quick.readResponse().status == 200)
    }
    for client in slow {
      let (text, end) = client.readToEnd()
      #expect(text.hasPrefix("HTTP/1.1 408 "))
      #expect(end == .closed)
    }
  }

  @Test func aClientThatDoesNotReadHindersNobody() throws {
    var options = AdminServerOptions()
    options.answerDeadline = 300
    let served = try ServedEndpoint(options: options, metricsRules: 200_000)
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    let deaf = try RawClient(served.endpoint)
    deaf.send(request("GET", "/metrics", port))
    let quick = try RawClient(served.endpoint)
    quick.send(request("GET", "/livez", port))
    #expect(try quick.readResponse().status == 200)
    // The answer is larger than the socket buffers, so the deadline cuts it off.
    while served.connectionCount() > 1 { usleep(20_000) }
    #expect(deaf.readToEnd().end == .reset)
  }

  @Test func closesIdleConnections() throws {
    var options = AdminServerOptions()
    options.idleDeadline = 100
    let served = try ServedEndpoint(options: options)
    defer { served.stop() }
    let (text, end) = try RawClient(served.endpoint).readToEnd()
    #expect(text.isEmpty)
    #expect(end == .closed)
  }

  @Test func oneConnectionTooManyReplacesTheOneThatWaitsLongest() throws {
    var options = AdminServerOptions()
    options.maximumConnections = 3
    let served = try ServedEndpoint(options: options)
    defer { served.stop() }
    let port = try #require(served.endpoint).port
    var clients: [RawClient] = []
    for _ in 0..<3 {
      let client = try RawClient(served.endpoint)
      client.send(request("GET", "/livez", port))
      #expect(try client.readResponse().status == 200)
      clients.append(client)
    }
    clients[0].send(request("GET", "/livez", port))
    #expect(try clients[0].readResponse().status == 200)
    let fourth = try RawClient(served.endpoint)
    fourth.send(request("GET", "/livez", port))
    #expect(try fourth.readResponse().status == 200)
    #expect(served.connectionCount() == 3)
    #expect(clients[1].readToEnd().end == .closed)
    clients[0].send(request("GET", "/livez", port))
    #expect(try clients[0].readResponse().status == 200)
  }

  @Test func stoppingClosesEveryConnection() throws {
    let served = try ServedEndpoint()
    let client = try RawClient(served.endpoint)
    client.send(request("GET", "/livez", try #require(served.endpoint).port))
    #expect(try client.readResponse().status == 200)
    served.stop()
    #expect(client.readToEnd().end == .closed)
  }
}
