import CohorlyTracker
import Effects
import Foundation
import TestKit
import Testing

@testable import Cohorly

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The server that checks every request by the contract, in a process of its own.
private final class ContractServer {
  let url: String
  private let process = Process()
  private let input = Pipe()

  init() throws {
    let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("CohorlyBackend/serve")
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    // It ends with its input, and so with this process.
    process.arguments = [program.path, "0", "-", "--until-eof"]
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
    url = "http://127.0.0.1:\(port)"
  }

  deinit {
    input.fileHandleForWriting.closeFile()
    process.waitUntilExit()
  }

  @discardableResult
  func ask(_ path: String, _ body: String? = nil) async throws -> JSONValue {
    let target = try #require(URL(string: "\(url)/_server/\(path)"))
    var request = URLRequest(url: target)
    if let body {
      request.httpMethod = "POST"
      request.httpBody = Data(body.utf8)
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    return try JSONReader().value(Array(try await CohorlyURLSession().send(request).0))
  }
}

/// What the server of the contract makes of the client, also when it fails.
@Suite struct ContractServerTests {
  @Test func breaksNoRule() async throws {
    let server = try ContractServer()
    let harness = try CohorlyHarness(
      clock: ManualClock(millisecondsSinceEpoch: 1_800_000_000_000), token: "tok", host: server.url)
    let cohorly = harness.cohorly
    let anonymous = cohorly.currentDistinctId
    cohorly.register(["app_version": "1.2.0"])
    for number in 0..<600 { cohorly.track("Screen Viewed", properties: ["screen": "ü\n\(number)", "deep": [[1.5]]]) }
    cohorly.identify("user-1")
    cohorly.people.set(["plan": "pro", "name": "Ada"])
    cohorly.people.setOnce(["plan": "free", "first": true])
    cohorly.people.increment(["logins": 1, "credits": -5])
    cohorly.people.unset("plan")
    cohorly.track("known")
    await cohorly.reloadFeatureFlags()
    await cohorly.flush()
    let state = try await server.ask("state")
    #expect(state["violations"] == [])
    #expect(state["events"]?.array?.count == 601)
    #expect(state["aliases"]?.array?.count == 1)
    #expect(state["aliases"]?.array?.first?["alias"]?.string == anonymous)
    #expect(cohorly.status.waiting == 0 && cohorly.status.refused == 0)
    // With a project's token alone the server removes nothing; that is no failure.
    #expect(cohorly.status.refusedOperations.count == 1)
  }

  /// A lost answer, refusals of every kind and an outage: each record that is not refused is there once.
  @Test func losesAndDoublesNothing() async throws {
    let server = try ContractServer()
    let harness = try CohorlyHarness(
      clock: ManualClock(millisecondsSinceEpoch: 1_800_000_000_000), token: "tok", host: server.url)
    let cohorly = harness.cohorly
    let faults = [
      #"{"path":"/track","status":503,"when":"after"}"#, #"{"path":"/track","status":500}"#,
      #"{"path":"/track","reset":true}"#, #"{"path":"/track","status":413,"times":2}"#,
      #"{"path":"/track","status":429,"headers":{"Retry-After":"60"}}"#, #"{"path":"/track","status":401}"#,
    ]
    try await server.ask("faults", "[\(faults.joined(separator: ","))]")
    for number in 0..<8 { cohorly.track("\(number)") }
    for _ in 0..<8 where cohorly.status.waiting > 0 { await cohorly.flush() }
    try await server.ask("faults", #"{"path":"/track","status":400}"#)
    cohorly.track("refused")
    await cohorly.flush()
    cohorly.track("last")
    await cohorly.flush()
    let state = try await server.ask("state")
    #expect(state["violations"] == [])
    let names = state["events"]?.array?.map { $0["event"]?.string ?? "" } ?? []
    #expect(names == (0..<8).map { "\($0)" } + ["last"])
    #expect(cohorly.status.refused == 1)
    #expect(cohorly.status.waiting == 0)
  }

  /// The client and the server agree on who gets which variant, whoever evaluates.
  @Test func readsWhatTheServerEvaluates() async throws {
    let server = try ContractServer()
    try await server.ask(
      "flags",
      #"[{"key":"on","active":true,"rules":[{"rolloutPct":100}]},{"key":"off","active":false,"rules":[]},"#
        + #"{"key":"test-flag","active":true,"rules":[{"rolloutPct":10}]}]"#)
    let harness = try CohorlyHarness(token: "tok", host: server.url)
    // Bucket 0.007 of the contract's vectors, then 0.41.
    for (id, isEnabled) in [("user-1", true), ("user-2", false)] {
      harness.cohorly.identify(id)
      await harness.cohorly.reloadFeatureFlags()
      #expect(harness.cohorly.isFeatureEnabled("on") && !harness.cohorly.isFeatureEnabled("off", fallback: true))
      #expect(harness.cohorly.isFeatureEnabled("test-flag", fallback: !isEnabled) == isEnabled)
    }
    let violations = try await server.ask("violations")
    #expect(violations.array?.isEmpty ?? false)
  }
}
