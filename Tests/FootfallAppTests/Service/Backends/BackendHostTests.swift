import AdminAPI
import Effects
import Foundation
import Synchronization
import TestKit
import Testing

@testable import FootfallApp

/// The backends of the executable: what a reload makes of them, and what an operator may order.
@Suite struct BackendHostTests {
  let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

  /// An application that confirms each visit and takes each event.
  private func application() throws -> ScriptedOrigin {
    try ScriptedOrigin { turn in
      while true {
        let request = try turn.readRequest()
        let body = request.components(separatedBy: "\r\n\r\n").last ?? ""
        try turn.connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
      }
    }
  }

  private func write(_ application: ScriptedOrigin?, _ page: ScriptedOrigin, ahoy more: String = "") throws {
    let ahoy = application.map { #""ahoy": {"baseURL": "http://127.0.0.1:\#($0.port)"\#(more)},"# } ?? ""
    try directory.write(
      "footfall.json",
      """
      {"proxy": {"listen": ["127.0.0.1:0"]}, "admin": {"listen": "127.0.0.1:0"},
       "state": {"directory": "\(directory.file("state"))"}, \(ahoy) "pipeline": {"flushIntervalSeconds": 600},
       "rules": [{"name": "page", "match": {"prefix": "http://127.0.0.1:\(page.port)/"}}]}
      """)
  }

  private func page() throws -> ScriptedOrigin {
    try ScriptedOrigin.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
  }

  /// Asks for the status until the visit is registered; its token.
  private func registered(_ admin: AdminClient) throws -> String? {
    for _ in 0..<3_000 {
      let ahoy = try admin.get("/status?ids=full")["ahoy"]
      if ahoy?["registered"]?.bool == true { return ahoy?["visit"]?.string }
      usleep(10_000)
    }
    return nil
  }

  /// The requests with events that an application got: their paths are all that tells them from visits.
  private func events(_ application: ScriptedOrigin) -> [String] {
    application.requests.filter { $0.hasPrefix("POST /ahoy/events") }
  }

  @Test func flushSendsWhatTheWorkersHaveJustSeen() throws {
    let (application, page) = (try application(), try page())
    try write(application, page)
    let proxy = try RunningProxy(configuration: directory.file("footfall.json"), in: directory)
    defer { proxy.kill() }
    let admin = try proxy.admin()
    let visit = try #require(try registered(admin))
    for number in 1...5 {
      #expect(try proxy.get("http://127.0.0.1:\(page.port)/\(number)").status == 200)
      let outcome = try admin.post("/flush", [:])["backends"]?.array?.first
      #expect(outcome?["sent"]?.integer == 1 && outcome?["complete"]?.bool == true)
    }
    #expect(events(application).count == 5)
    #expect(page.requests.allSatisfy { $0.contains("ahoy-visit: \(visit)") })
    #expect(try admin.post("/track", ["name": "by hand"])["id"]?.string != nil)
    #expect(try admin.post("/flush", [:])["backends"]?.array?.first?["sent"]?.integer == 1)
  }

  @Test func aReloadMovesToAnotherApplicationAndKeepsTheVisit() throws {
    let (first, second, page) = (try application(), try application(), try page())
    try write(first, page)
    let proxy = try RunningProxy(configuration: directory.file("footfall.json"), in: directory)
    defer { proxy.kill() }
    let admin = try proxy.admin()
    let visit = try #require(try registered(admin))
    #expect(try proxy.get("http://127.0.0.1:\(page.port)/before").status == 200)
    #expect(try admin.post("/track", ["name": "waits"])["id"]?.string != nil)

    // What cannot be had changes nothing.
    try write(second, page, ahoy: #", "certificateFiles": ["missing.pem"]"#)
    #expect(throws: CommandFailure.self) { try admin.post("/reload", [:]) }
    #expect(try registered(admin) == visit && second.requests.isEmpty)

    try write(second, page)
    _ = try admin.post("/reload", [:])
    #expect(try registered(admin) == visit)
    #expect(try proxy.get("http://127.0.0.1:\(page.port)/after").status == 200)
    let outcome = try admin.post("/flush", [:])["backends"]?.array?.first
    #expect(outcome?["complete"]?.bool == true)
    #expect(events(first).isEmpty)
    let sent = events(second).joined()
    #expect(sent.contains("/before") && sent.contains("waits") && sent.contains("/after"))

    // Without the section nothing is sent or injected; with it again the visit goes on.
    try write(nil, page)
    _ = try admin.post("/reload", [:])
    #expect(throws: CommandFailure.self) { try admin.post("/flush", [:]) }
    #expect(try proxy.get("http://127.0.0.1:\(page.port)/without").status == 200)
    #expect(page.requests.last?.contains("ahoy-visit") == false)
    try write(second, page)
    _ = try admin.post("/reload", [:])
    #expect(try registered(admin) == visit)
    proxy.signal(SIGTERM)
    #expect(try proxy.exitCode() == 0)
    #expect(!events(second).joined().contains("/without"))
  }

  @Test func aDrainSendsWhatIsLeft() throws {
    let (application, page) = (try application(), try page())
    try write(application, page)
    let proxy = try RunningProxy(configuration: directory.file("footfall.json"), in: directory)
    defer { proxy.kill() }
    _ = try registered(try proxy.admin())
    for number in 1...3 { #expect(try proxy.get("http://127.0.0.1:\(page.port)/\(number)").status == 200) }
    #expect(events(application).isEmpty)
    proxy.signal(SIGTERM)
    #expect(try proxy.exitCode() == 0)
    let sent = events(application).joined()
    for number in 1...3 { #expect(sent.contains("/\(number)\"")) }
  }

  // MARK: Cohorly

  /// A server that takes every record, and whose flag `copy` is the variant of the moment.
  private func server(_ variant: @escaping @Sendable () -> String) throws -> ScriptedOrigin {
    try ScriptedOrigin.answering { request in
      let body =
        request.hasPrefix("POST /flags/evaluate")
        ? #"{"flags":{"copy":{"enabled":true,"variant":"\#(variant())"}}}"# : #"{"status":1}"#
      return "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }
  }

  @Test func aFlagDecidesWhetherARuleApplies() throws {
    let variant = Mutex("red")
    let (server, application, page) = (try server { variant.withLock { $0 } }, try application(), try page())
    try directory.write(
      "footfall.json",
      """
      {"proxy": {"listen": ["127.0.0.1:0"]}, "admin": {"listen": "127.0.0.1:0"},
       "state": {"directory": "\(directory.file("state"))"}, "visitorID": {"header": "x-visitor-id"},
       "ahoy": {"baseURL": "http://127.0.0.1:\(application.port)"},
       "cohorly": {"apiHost": "http://127.0.0.1:\(server.port)", "flagReloadSeconds": 0},
       "pipeline": {"flushIntervalSeconds": 600},
       "rules": [{"name": "page", "match": {"prefix": "http://127.0.0.1:\(page.port)/"},
                  "when": {"flag": "copy", "is": "blue", "fallback": "none"}}]}
      """)
    let proxy = try RunningProxy(configuration: directory.file("footfall.json"), in: directory)
    defer { proxy.kill() }
    let admin = try proxy.admin()
    _ = try registered(admin)
    _ = try admin.post("/flags/reload", [:])
    let url = "http://127.0.0.1:\(page.port)/"
    #expect(try proxy.get(url + "off").status == 200)
    #expect(page.requests.last?.contains("x-visitor-id") == false)
    variant.withLock { $0 = "blue" }
    _ = try admin.post("/flags/reload", [:])
    #expect(try proxy.get(url + "on").status == 200)
    #expect(page.requests.last?.contains("x-visitor-id") == true)
    let outcomes = try admin.post("/flush", [:])["backends"]?.array ?? []
    #expect(outcomes.map { $0["complete"]?.bool } == [true, true])
    // Both backends get the same events, each in its own shape.
    let told = server.requests.filter { $0.hasPrefix("POST /track") }.joined()
    #expect(told.contains(#""$feature/copy":"red""#) && told.contains(#""$feature/copy":"blue""#))
    #expect(told.components(separatedBy: "$feature_flag_called").count == 3)
    #expect(events(application).joined().contains("/off") && events(application).joined().contains("/on"))
    let gate = try admin.get("/flags")["gates"]?.array?.first
    #expect(gate?["rule"]?.string == "page" && gate?["applies"]?.bool == true)

    // A reset discards what waits, for Cohorly alone.
    #expect(try proxy.get(url + "discarded").status == 200)
    let reset = try admin.post("/reset?ids=full", ["what": ["cohorly"]])
    #expect(JSONWriter.text(reset).contains(#""discarded":1"#))
    proxy.signal(SIGTERM)
    #expect(try proxy.exitCode() == 0)
    #expect(!server.requests.contains { $0.hasPrefix("POST /track") && $0.contains("/discarded") })
    #expect(events(application).joined().contains("/discarded"))
  }
}
