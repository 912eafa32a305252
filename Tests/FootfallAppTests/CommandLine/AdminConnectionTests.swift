import Effects
import FootfallApp
import Foundation
import ProxyConfiguration
import Testing

/// Connecting to the admin endpoint, and every way in which that comes to nothing.
@Suite struct AdminConnectionTests {
  private func failure(_ answer: String?, deadlineMilliseconds: Int = 5000) throws -> CommandFailure? {
    let server = try CannedServer(answer)
    defer { server.stop() }
    let address = AdminAddress.tcp(Endpoint(IPAddress(v4: 0x7f00_0001), port: server.port))
    let client = AdminClient(address: address, token: nil, deadlineMilliseconds: deadlineMilliseconds)
    return #expect(throws: CommandFailure.self) { try client.get("/status") }
  }

  @Test func silenceEndsAtTheDeadline() throws {
    let failure = try failure(nil, deadlineMilliseconds: 100)
    #expect(failure?.code == .unavailable)
    #expect(failure?.message?.contains("in time") == true)
  }

  @Test func nobodyThereSaysWhatToDo() throws {
    let server = try CannedServer("")
    let port = server.port
    server.stop()
    let run = CommandRun(["status"], configuration: #"{"admin": {"listen": "127.0.0.1:\#(port)"}, "rules": []}"#)
    #expect(run.code == .unavailable)
    #expect(run.error.contains("127.0.0.1:\(port)"))
    #expect(run.error.contains("footfall run"))
  }

  @Test func anAnswerInManyPiecesIsReadToItsEnd() throws {
    let body = "{\"a\":\"" + String(repeating: "x", count: 1_000_000) + "\"}"
    let server = try CannedServer("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    defer { server.stop() }
    let address = AdminAddress.tcp(Endpoint(IPAddress(v4: 0x7f00_0001), port: server.port))
    let answer = try AdminClient(address: address, token: nil).get("/status")
    #expect(answer["a"]?.string?.utf8.count == 1_000_000)
  }

  @Test func aWildcardAddressIsReachedOnLoopback() throws {
    let server = try CannedServer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    defer { server.stop() }
    let address = AdminAddress.tcp(Endpoint(IPAddress(v4: 0), port: server.port))
    #expect(try AdminClient(address: address, token: nil).get("/status") == [:])
  }

  @Test(arguments: [
    ("/nonexistent-directory/admin.sock", ExitCode.unavailable), (String(repeating: "x", count: 200), .unavailable),
  ])
  func aSocketThatIsNotThereIsNamed(path: String, code: ExitCode) throws {
    let failure = #expect(throws: CommandFailure.self) {
      try AdminClient(address: .unix(path), token: nil).get("/status")
    }
    #expect(failure?.code == code)
    #expect(failure?.message?.contains(path) == true)
  }
}
