import CohorlyTracker
import Effects
import EventPipeline
import Foundation
import Synchronization
import TestKit
import Testing

@testable import Cohorly

/// A storage in memory that a test can look into and make fail.
final class MemoryStorage: CohorlyStorage {
  private let state = Mutex((texts: [String: String](), error: StoreError?.none, writes: 0))

  init(_ texts: [String: String] = [:]) { state.withLock { $0.texts = texts } }

  var texts: [String: String] { state.withLock { $0.texts } }
  var writes: Int { state.withLock { $0.writes } }
  func plant(_ text: String?, _ key: String) { state.withLock { $0.texts[key] = text } }
  func fail(_ error: StoreError?) { state.withLock { $0.error = error } }

  func string(forKey key: String) throws -> String? {
    try state.withLock { state in
      if let error = state.error { throw error }
      return state.texts[key]
    }
  }

  func set(_ text: String, forKey key: String) throws {
    try state.withLock { state in
      if let error = state.error { throw error }
      state.writes += 1
      state.texts[key] = text
    }
  }

  func removeValues(forKeys keys: [String]) throws {
    try state.withLock { state in
      if let error = state.error { throw error }
      for key in keys { state.texts[key] = nil }
    }
  }

  /// The records that wait, by number.
  var queued: [Int64] {
    texts.keys.compactMap { key in
      key.hasPrefix("cohorly-queue-") ? Int64(key.dropFirst("cohorly-queue-".count)) : nil
    }.sorted()
  }
}

/// A Cohorly server on a loopback port, which takes everything unless a test wants something else.
final class CohorlyServer: Sendable {
  /// Answers a request; nil for the usual answer.
  typealias Script = @Sendable (SeenRequest) -> String?

  private let origin: ScriptedOrigin
  private let state = State()

  private final class State: Sendable {
    let script = Mutex<Script>({ _ in nil })
    let flags = Mutex(CohorlyServer.flags)
  }

  /// Those of the contract, section 4.4.
  static let flags =
    #"{"checkout":{"enabled":true,"variant":null,"payload":null,"reason":"rule:0"},"#
    + ##""banner":{"enabled":true,"variant":"blue","payload":{"color":"#00f"},"reason":"rule:0"},"##
    + #""hidden":{"enabled":false,"variant":null,"payload":null,"reason":"no_match"}}"#

  init() throws {
    let state = state
    origin = try ScriptedOrigin.answering { text in
      let request = SeenRequest(text)
      if let answer = state.script.withLock({ $0 })(request) { return answer }
      return CohorlyServer.response(
        200, request.path == "/flags/evaluate" ? #"{"flags":\#(state.flags.withLock { $0 })}"# : #"{"status":1}"#)
    }
  }

  static func response(_ status: Int, _ body: String = "", _ fields: String...) -> String {
    (["HTTP/1.1 \(status) Answer", "Content-Length: \(body.utf8.count)"] + fields).joined(separator: "\r\n")
      + "\r\n\r\n" + body
  }

  func script(_ script: @escaping Script) { state.script.withLock { $0 = script } }
  func setFlags(_ json: String) { state.flags.withLock { $0 = json } }

  var url: String { "http://127.0.0.1:\(origin.port)" }
  var requests: [SeenRequest] { origin.requests.map(SeenRequest.init) }
  func requests(_ path: String) -> [SeenRequest] { requests.filter { $0.path == path } }

  /// The records that came by one path, in order.
  func records(_ path: String) throws -> [JSONValue] {
    try requests(path).flatMap { request in
      let json = try request.json
      return json.array ?? [json]
    }
  }

  var events: [JSONValue] { get throws { try records("/track") } }
  var aliases: [JSONValue] { get throws { try records("/alias") } }
  var evaluations: [JSONValue] { get throws { try records("/flags/evaluate") } }

  /// The exposures: key, value, source.
  var exposures: [[JSONValue?]] {
    get throws {
      try events.filter { $0["event"] == "$feature_flag_called" }.map { event in
        let properties = event["properties"]
        return ["$feature_flag", "$feature_flag_response", "$feature_flag_source"].map { properties?[$0] }
      }
    }
  }
}

/// A client over a server of its own, with the time of day and the ids in the hands of the test. It sends at `flush` only.
struct CohorlyHarness {
  let server: CohorlyServer
  let storage: MemoryStorage
  let clock: ManualClock
  let cohorly: Cohorly
  let log = Log()

  final class Log: Sendable {
    private let all = Mutex<[String]>([])
    var lines: [String] { all.withLock { $0 } }
    func add(_ line: String) { all.withLock { $0.append(line) } }
  }

  /// Ids of all clients of a test are different.
  static let tokens = SequenceTokenSource()

  init(
    server: CohorlyServer? = nil, storage: MemoryStorage = MemoryStorage(), clock: ManualClock = ManualClock(),
    token: String? = nil, host: String? = nil, transport: any CohorlyTransport = CohorlyURLSession(),
    flags: Cohorly.FlagOptions = Cohorly.FlagOptions(loads: false), isDisabled: Bool = false, flushAt: Int = 10_000,
    flushInterval: Int = 3_600_000
  ) throws {
    let server = try server ?? CohorlyServer()
    self.server = server
    self.storage = storage
    self.clock = clock
    var seams = Cohorly.Seams(clock: clock, tokens: Self.tokens)
    seams.delivery.flushAt = flushAt
    seams.delivery.flushIntervalMilliseconds = flushInterval
    let log = log
    cohorly = Cohorly(
      endpoint: CohorlyEndpoint(apiHost: host ?? server.url, token: token), transport: transport, storage: storage,
      flags: flags, isDisabled: isDisabled, seams: seams, log: { log.add($0) })
  }

  /// Nobody listens there.
  static let nowhere = "http://127.0.0.1:9"

  var properties: [JSONValue] { get throws { try server.events.compactMap { $0["properties"] } } }
}

/// Waits until something holds; false when it does not within a long time.
func eventually(_ condition: @Sendable () throws -> Bool) async throws -> Bool {
  for _ in 0..<2_000 {
    if try condition() { return true }
    try await Task.sleep(for: .milliseconds(5))
  }
  return false
}
