import Effects
import FootfallApp
import Foundation
import Storage
import TestKit
import Testing

/// The executable as its operator sees it: files, ports, signals, exit codes.
@Suite struct FootfallProxyTests {
  let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

  /// Writes a configuration file and names its path.
  private func configuration(
    _ name: String = "footfall.json", listen: String = "127.0.0.1:0", admin: String = "127.0.0.1:0",
    state: String = "state", visitorID: String = #"{"header": "x-visitor-id"}"#, matching prefix: String,
    more: String = ""
  ) throws -> String {
    try directory.write(
      name,
      """
      {"proxy": {"listen": ["\(listen)"], "workers": 2}, "admin": {"listen": "\(admin)"},
       "state": {"directory": "\(directory.file(state))"}, "visitorID": \(visitorID),
       "rules": [{"name": "origin", "match": {"prefix": "\(prefix)"}}]\(more)}
      """)
    return directory.file(name)
  }

  private func start(_ configuration: String) throws -> RunningProxy {
    try RunningProxy(configuration: configuration, in: directory)
  }

  /// An origin that answers each request with the id that came with it.
  private func mirror() throws -> ScriptedOrigin {
    try ScriptedOrigin.answering { request in
      let id = request.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("x-visitor-id:") }
      let body = id?.components(separatedBy: ": ").last ?? "none"
      return "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
  }

  private func url(_ origin: ScriptedOrigin) -> String { "http://127.0.0.1:\(origin.port)/" }

  // MARK: Serving

  @Test func injectsReportsResetsAndRecords() throws {
    let origin = try mirror()
    let proxy = try start(configuration(matching: url(origin) + "api/"))
    defer { proxy.kill() }
    let first = try proxy.get(url(origin) + "api/a").body
    #expect(UUIDText.isLowercaseUUID(first))
    #expect(try proxy.get(url(origin) + "api/b").body == first)
    #expect(try proxy.get(url(origin) + "other").body == "none")

    let admin = try proxy.admin()
    let status = try admin.get("/status?ids=full")
    #expect(status["phase"]?.string == "running")
    #expect(status["visitorID"]?["state"]?.string == "on")
    #expect(status["visitorID"]?["id"]?.string == first)
    #expect(status["proxy"]?["requests"]?.integer == 3)
    #expect(status["proxy"]?["workers"]?.integer == 2)
    #expect(status["rules"]?.array?.first?["matched"]?.integer == 2)
    let rule = try admin.get("/rules/test?url=" + url(origin) + "api/x")
    #expect(JSONWriter.text(rule).contains("visitorID"))

    let reset = try admin.post("/reset?ids=full", ["what": ["visitorID"]])
    let second = try proxy.get(url(origin) + "api/c").body
    #expect(UUIDText.isLowercaseUUID(second))
    #expect(second != first)
    #expect(JSONWriter.text(reset).contains(second))

    proxy.signal(SIGTERM)
    #expect(try proxy.exitCode() == 0)
    var reader = EventReader(directory: directory.file("state"))
    #expect(try reader.read(afterSequence: 0, limit: 100).events.count == 4)
  }

  @Test func keepsTheIDAcrossARestart() throws {
    let origin = try mirror()
    let file = try configuration(matching: url(origin))
    var ids: [String] = []
    for _ in 0..<2 {
      let proxy = try start(file)
      defer { proxy.kill() }
      ids.append(try proxy.get(url(origin)).body)
      proxy.signal(SIGTERM)
      #expect(try proxy.exitCode() == 0)
    }
    #expect(ids[0] == ids[1])
    #expect(UUIDText.isLowercaseUUID(ids[0]))
  }

  @Test func refusesToBeSentToItself() throws {
    let proxy = try start(configuration(matching: "http://h.example/"))
    defer { proxy.kill() }
    #expect(try proxy.get("http://127.0.0.1:\(proxy.port())/").status == 403)
    let admin = try #require(try proxy.line("the admin endpoint listens").split(separator: "=").last)
    #expect(try proxy.get("http://\(admin)/status").status == 403)
  }

  @Test func runsWithoutAFeatureThatIsWrongAndSaysSoOnce() throws {
    let origin = try mirror()
    let proxy = try start(
      configuration(visitorID: #"{"header": "x-visitor-id", "ttlHours": 0}"#, matching: url(origin)))
    defer { proxy.kill() }
    #expect(try proxy.get(url(origin)).body == "none")
    let visitorID = try proxy.admin().get("/status")["visitorID"]
    #expect(visitorID?["state"]?.string == "invalid")
    #expect(visitorID?["id"]?.string == nil)
    let reasons = (visitorID?["reasons"]?.array ?? []).compactMap(\.string)
    #expect(reasons.contains { $0.contains("ttlHours") })
    #expect(proxy.lines.filter { $0.contains("/visitorID/ttlHours") }.count == 1)
  }

  // MARK: Reloading

  @Test func goesOnWithANewFileAndKeepsTheOldOneWhenThatIsWrong() throws {
    let origin = try mirror()
    let proxy = try start(configuration(matching: url(origin)))
    defer { proxy.kill() }
    let id = try proxy.get(url(origin)).body
    let admin = try proxy.admin()
    let hash = try admin.get("/status")["configuration"]?["hash"]?.string

    _ = try configuration(matching: url(origin) + "narrow/")
    proxy.signal(SIGHUP)
    try proxy.line("the configuration was reloaded")
    #expect(try proxy.get(url(origin)).body == "none")
    #expect(try proxy.get(url(origin) + "narrow/").body == id)
    let reloaded = try admin.get("/status")["configuration"]
    #expect(reloaded?["hash"]?.string != hash)
    #expect(reloaded?["lastReload"]?["succeeded"]?.bool == true)

    try directory.write("footfall.json", #"{"rules": [], "proxy": {"listen": 1}}"#)
    proxy.signal(SIGHUP)
    let refusal = try proxy.line("the new configuration was refused")
    #expect(refusal.contains("/proxy/listen"))
    #expect(try proxy.get(url(origin) + "narrow/").body == id)
    let refused = try admin.get("/status")["configuration"]
    #expect(refused?["hash"]?.string == reloaded?["hash"]?.string)
    #expect(refused?["lastReload"]?["succeeded"]?.bool == false)
    let failure = #expect(throws: CommandFailure.self) { _ = try admin.post("/reload", .object([])) }
    #expect(failure?.code == .configuration)
  }

  @Test func saysAtEachReloadWhatOnlyARestartChanges() throws {
    let proxy = try start(configuration(matching: "http://h.example/"))
    defer { proxy.kill() }
    let port = try proxy.port()
    _ = try configuration(
      listen: "127.0.0.1:1", state: "elsewhere", matching: "http://h.example/", more: #", "events": {"maxRows": 7}"#)
    for number in 1...2 {
      proxy.signal(SIGHUP)
      try proxy.line("the configuration was reloaded", number: number)
      for key in ["proxy.listen", "state.directory", "events.maxRows"] {
        try proxy.line("\(key) takes effect at the next start", number: number)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: directory.file("elsewhere")))
    #expect(try proxy.admin().get("/status")["proxy"]?["listen"]?.array?.first?.string == "127.0.0.1:\(port)")
    #expect(!proxy.lines.contains { $0.contains("admin.listen takes effect") })
  }

  @Test func changesTheAccessLogAndOpensItAnew() throws {
    let origin = try mirror()
    func file(_ name: String) throws -> String {
      try configuration(matching: url(origin), more: #", "log": {"accessFile": "\#(directory.file(name))"}"#)
    }
    let proxy = try start(file("first"))
    defer { proxy.kill() }
    _ = try proxy.get(url(origin) + "one")
    _ = try file("second")
    proxy.signal(SIGHUP)
    try proxy.line("the configuration was reloaded")
    _ = try proxy.get(url(origin) + "two")
    try FileManager.default.moveItem(atPath: directory.file("second"), toPath: directory.file("rotated"))
    proxy.signal(SIGUSR1)
    try proxy.line("the access log was reopened")
    _ = try proxy.get(url(origin) + "three")
    _ = try file("missing/third")
    proxy.signal(SIGHUP)
    #expect(try proxy.line("the new configuration was refused").contains("cannot open the access log"))
    _ = try proxy.get(url(origin) + "four")
    proxy.signal(SIGTERM)
    #expect(try proxy.exitCode() == 0, "\(proxy.lines)")
    let all = try ["first", "rotated", "second"].map { try directory.text($0) }
    // The record of an exchange may be on its way when the log changes; a line is in one of the two and complete.
    #expect(all.joined().split(separator: "\n").count == 4)
    for (index, path) in ["/one", "/two", "/three", "/four"].enumerated() {
      let places = all.indices.filter { all[$0].contains(#""url.path":"\#(path)""#) }
      #expect(places.count == 1, "\(path) is in \(places)")
      #expect(places.first ?? -1 >= min(index, 2))
    }
  }

  @Test func writesItsStateToTheLogWithoutTheID() throws {
    let origin = try mirror()
    let proxy = try start(configuration(matching: url(origin)))
    defer { proxy.kill() }
    let id = try proxy.get(url(origin)).body
    proxy.signal(SIGUSR2)
    let line = try proxy.line(" info status report=")
    #expect(line.contains("visitorID"))
    #expect(!proxy.lines.contains { $0.contains(id) })
  }

  // MARK: Ending

  /// An origin that answers only when the test lets it.
  private func held() throws -> (origin: ScriptedOrigin, arrived: Handover<Bool>, release: Handover<Bool>) {
    let arrived = Handover<Bool>()
    let release = Handover<Bool>()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      arrived.put(true)
      _ = release.take()
      try turn.connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
    }
    return (origin, arrived, release)
  }

  /// Begins an exchange and waits until the origin has it.
  private func begin(_ proxy: RunningProxy, _ origin: ScriptedOrigin, _ arrived: Handover<Bool>) throws -> RawConnection
  {
    let client = try RawConnection(port: proxy.port())
    try client.send("GET \(url(origin)) HTTP/1.1\r\nHost: h\r\n\r\n")
    _ = arrived.take()
    return client
  }

  @Test(arguments: [SIGTERM, SIGQUIT])
  func finishesRunningExchangesAndTakesNoNewOnes(_ signal: CInt) throws {
    let (origin, arrived, release) = try held()
    defer { release.put(true) }
    let proxy = try start(configuration(matching: url(origin), more: #", "timeouts": {"drain": 3600}"#))
    defer { proxy.kill() }
    let client = try begin(proxy, origin, arrived)
    let port = try proxy.port()
    proxy.signal(signal)
    try proxy.line("draining")
    var accepts = true
    for _ in 0..<1_000 where accepts {
      do { _ = try RawConnection(port: port) } catch { accepts = false }
      if accepts { usleep(10_000) }
    }
    #expect(!accepts, "it still listens")
    #expect(proxy.isRunning)
    let failure = #expect(throws: CommandFailure.self) { _ = try proxy.admin().post("/reload", .object([])) }
    #expect(failure?.code == .temporary)
    release.put(true)
    let response = try client.readResponse()
    #expect(response.status == 200)
    #expect(response.body == "done")
    #expect(try proxy.exitCode() == 0)
    #expect(proxy.lines.last?.hasSuffix(" info ended") == true)
    var reader = EventReader(directory: directory.file("state"))
    #expect(try reader.read(afterSequence: 0, limit: 10).events.count == 1, "the last exchange is recorded")
  }

  @Test(arguments: [[SIGTERM, SIGTERM], [SIGTERM, SIGINT], [SIGINT]])
  func endsAtOnceWhenItIsAskedTo(_ signals: [CInt]) throws {
    let (origin, arrived, release) = try held()
    defer { release.put(true) }
    let proxy = try start(configuration(matching: url(origin), more: #", "timeouts": {"drain": 3600}"#))
    defer { proxy.kill() }
    let client = try begin(proxy, origin, arrived)
    for (number, signal) in signals.enumerated() {
      #expect(proxy.isRunning)
      proxy.signal(signal)
      if number == 0, signals.count > 1 { try proxy.line("draining") }
    }
    #expect(try proxy.exitCode() == 0)
    #expect(proxy.lines.contains { $0.hasSuffix(" info ending at once") })
    // The exchange is cut: the client sees the end, or an error, and never the answer.
    var rest = ""
    do { rest = try client.readTextToEnd() } catch {}
    #expect(!rest.contains("done"))
  }

  @Test func cutsWhatDoesNotEndInTime() throws {
    let (origin, arrived, release) = try held()
    defer { release.put(true) }
    let proxy = try start(configuration(matching: url(origin), more: #", "timeouts": {"drain": 0.2}"#))
    defer { proxy.kill() }
    let client = try begin(proxy, origin, arrived)
    proxy.signal(SIGTERM)
    #expect(try proxy.exitCode() == 0)
    #expect(proxy.lines.contains { $0.contains("warning exchanges were cut at the end of the drain time") })
    client.close()
  }

  // MARK: Refusing to start

  @Test func asksToTryLaterWhenAPortIsTaken() throws {
    let other = try mirror()
    let proxy = try start(configuration(listen: "127.0.0.1:\(other.port)", matching: url(other)))
    defer { proxy.kill() }
    #expect(try proxy.exitCode() == 75)
    #expect(proxy.lines.contains { $0.contains("127.0.0.1:\(other.port)") })
  }

  @Test func tellsAnAddressThatThisMachineDoesNotHave() throws {
    let origin = try mirror()
    // TEST-NET-1 of RFC 5737: nobody's address.
    let proxy = try start(configuration(listen: "192.0.2.1:8080", matching: url(origin)))
    defer { proxy.kill() }
    #expect(try proxy.exitCode() == 73)
    #expect(proxy.lines.contains { $0.contains("192.0.2.1:8080: no interface of this machine has that address") })
    #expect(proxy.lines.contains { $0.contains("`ip addr`") })
  }

  @Test func asksToTryLaterWhenTheAdminPortIsTaken() throws {
    let other = try mirror()
    let proxy = try start(configuration(admin: "127.0.0.1:\(other.port)", matching: url(other)))
    defer { proxy.kill() }
    #expect(try proxy.exitCode() == 75)
    #expect(proxy.lines.contains { $0.contains("admin.listen") })
  }

  @Test func asksToTryLaterWhenAnotherInstanceHasTheDirectory() throws {
    let origin = try mirror()
    let file = try configuration(matching: url(origin))
    let first = try start(file)
    defer { first.kill() }
    _ = try first.port()
    let second = try start(file)
    defer { second.kill() }
    #expect(try second.exitCode() == 75)
    #expect(second.lines.contains { $0.contains(directory.file("state")) })
    #expect(UUIDText.isLowercaseUUID(try first.get(url(origin)).body), "the first one goes on")
  }

  @Test(
    arguments: [
      (#"{"rules": [], "proxy": {"listen": 1}}"#, "/proxy/listen"), (#"{"rules": ["#, "footfall.json:1:"),
      (#"{"rules": [], "limits": {"connections": 0}}"#, "/limits/connections"),
    ])
  func refusesAWrongConfiguration(_ text: String, _ mention: String) throws {
    try directory.write("footfall.json", text)
    let proxy = try start(directory.file("footfall.json"))
    defer { proxy.kill() }
    #expect(try proxy.exitCode() == 78)
    #expect(proxy.lines.contains { $0.contains(mention) })
  }

  @Test func refusesToStartWithoutItsTokenOrItsFile() throws {
    let missing = try start(directory.file("missing.json"))
    defer { missing.kill() }
    #expect(try missing.exitCode() == 66)
    try directory.write(
      "footfall.json",
      #"{"rules": [], "proxy": {"listen": ["127.0.0.1:0"]}, "admin": {"listen": "127.0.0.1:0", "tokenFile": "none"}}"#)
    let proxy = try start(directory.file("footfall.json"))
    defer { proxy.kill() }
    #expect(try proxy.exitCode() == 78)
    #expect(proxy.lines.contains { $0.contains("token file") })
  }

  @Test func tellsAnAccessLogThatCannotBeOpened() throws {
    let path = directory.file("missing/log")
    let proxy = try start(configuration(matching: "http://h.example/", more: #", "log": {"accessFile": "\#(path)"}"#))
    defer { proxy.kill() }
    #expect(try proxy.exitCode() == 73)
  }
}
