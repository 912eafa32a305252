import Effects
import FootfallApp
import ProxyConfiguration
import Testing

/// What the client makes of endpoints that are others, or refuse.
@Suite struct AdminClientTests {
  private func failure(_ answer: String?) throws -> CommandFailure? {
    let server = try CannedServer(answer)
    defer { server.stop() }
    let address = AdminAddress.tcp(Endpoint(IPAddress(v4: 0x7f00_0001), port: server.port))
    let client = AdminClient(address: address, token: nil)
    return #expect(throws: CommandFailure.self) { try client.get("/status") }
  }

  @Test(arguments: [
    "", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}",
    "HTTP/1.1 200 OK\r\n\r\n{}",
  ])
  func somethingElseThereIsNamedAsSuch(answer: String) throws {
    let failure = try failure(answer)
    #expect(failure?.code == .unavailable)
    #expect(failure?.message?.contains("no admin endpoint answers at 127.0.0.1:") == true)
    #expect(failure?.hint?.contains("admin.listen") == true)
  }

  @Test(arguments: [
    (#"{"admin": {"listen": null}, "rules": []}"#, "no admin endpoint"),
    (#"{"admin": {"listen": "127.0.0.1:0"}, "rules": []}"#, "port 0"),
    (#"{"admin": {"listen": 1}, "rules": []}"#, "/admin/listen"),
  ])
  func aConfigurationWithoutAddressIsNoUse(configuration: String, text: String) {
    let run = CommandRun(["status"], configuration: configuration)
    #expect(run.code == .configuration)
    #expect(run.error.contains(text))
  }

  @Test func errorsFromTheEndpointAreShownWithoutControlCharacters() throws {
    let body = #"{"error":{"code":"x","message":"bad\u001b[31m\nnews","hint":"do\u0007 this"}}"#
    let server = try CannedServer("HTTP/1.1 403 Forbidden\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let run = CommandRun(
      ["status"], configuration: #"{"admin": {"listen": "127.0.0.1:\#(server.port)"}, "rules": []}"#)
    server.stop()
    #expect(run.code == .permission)
    #expect(run.error.contains("bad"))
    #expect(!run.error.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\u{7}" })
    #expect(run.error.split(separator: "\n").count == 2)
  }
}
