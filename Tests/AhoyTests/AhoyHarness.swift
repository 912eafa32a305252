import Effects
import Foundation
import Synchronization
import TestKit
import Testing

@testable import Ahoy

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tokens of a test, which it may change.
final class FixedTokens: AhoyTokenManager {
  private let tokens: Mutex<(visit: String, visitor: String)>

  init(visit: String, visitor: String) { tokens = Mutex((visit, visitor)) }

  var visitorToken: String { tokens.withLock { $0.visitor } }
  var visitToken: String {
    get { tokens.withLock { $0.visit } }
    set { tokens.withLock { $0.visit = newValue } }
  }

  /// Those of the vectors of the contract (section 1.1).
  static var vector: FixedTokens {
    FixedTokens(visit: "B054681C-100B-46FE-94A0-7AACA78116CB", visitor: "EB4DCB73-2B32-52CD-A2CF-AD7948674B22")
  }
}

extension SeenRequest {
  var isVisit: Bool { path.hasSuffix("/visits") }
  var events: [JSONValue] { get throws { try json["events"]?.array ?? [] } }
}

/// An Ahoy server on a loopback port: echoes visits and takes events, unless a test wants something else.
final class AhoyServer: Sendable {
  private let origin: ScriptedOrigin
  private let script = Script()

  /// What a test wants instead of the usual answer, in order; nil stands for the usual one.
  private final class Script: Sendable {
    let answers = Mutex<[String: [String?]]>([:])
    let isHeld = Mutex(false)
    let released = DispatchSemaphore(value: 0)

    func answer(_ request: SeenRequest) -> String {
      if isHeld.withLock({ $0 }) { released.wait() }
      let kind = request.isVisit ? "visits" : "events"
      let wanted = answers.withLock { answers -> String? in
        guard answers[kind]?.isEmpty == false else { return nil }
        return answers[kind]?.removeFirst()
      }
      return wanted ?? Script.usual(request)
    }

    private static func usual(_ request: SeenRequest) -> String {
      guard request.isVisit else { return AhoyServer.response(200, "{}") }
      let tokens = ["visit", "visitor"].map { #""\#($0)_token":"\#(request.fields["ahoy-\($0)"] ?? "")""# }
      return AhoyServer.response(200, "{\(tokens.joined(separator: ",")),\"visit_id\":1,\"visitor_id\":2}")
    }
  }

  init() throws {
    let script = script
    origin = try ScriptedOrigin.answering { script.answer(SeenRequest($0)) }
  }

  static func response(_ status: Int, _ body: String = "", _ fields: String...) -> String {
    (["HTTP/1.1 \(status) Answer", "Content-Length: \(body.utf8.count)"] + fields).joined(separator: "\r\n")
      + "\r\n\r\n" + body
  }

  var url: URL { get throws { try #require(URL(string: "http://127.0.0.1:\(origin.port)")) } }

  /// The next answers to `visits` or `events`.
  func script(_ kind: String, _ answers: [String?]) { script.answers.withLock { $0[kind, default: []] += answers } }

  /// No answer is given before `release`.
  func hold() { script.isHeld.withLock { $0 = true } }

  func release() {
    script.isHeld.withLock { $0 = false }
    script.released.signal()
  }

  var requests: [SeenRequest] { origin.requests.map(SeenRequest.init) }
  var visits: [SeenRequest] { requests.filter(\.isVisit) }
  var events: [SeenRequest] { requests.filter { !$0.isVisit } }
}

/// A client over a server of its own, with the time and the pauses in the hands of the test.
struct AhoyHarness {
  let server: AhoyServer
  let clock = ManualClock()
  let store: MemoryKeyValueStore
  let pauses = Pauses()
  let ahoy: Ahoy

  /// How long the client would have waited, in milliseconds; it does not.
  final class Pauses: Sendable {
    private let all = Mutex<[Int]>([])
    var milliseconds: [Int] { all.withLock { $0 } }
    func add(_ pause: Int) { all.withLock { $0.append(pause) } }
  }

  init(
    server: AhoyServer? = nil, store: MemoryKeyValueStore = MemoryKeyValueStore(),
    tokens: (any AhoyTokenManager)? = nil,
    interceptors: [RequestInterceptor] = [], _ change: (inout Configuration) -> Void = { _ in }
  ) throws {
    let server = try server ?? AhoyServer()
    var configuration = Configuration(
      environment: .init(platform: "Linux", appVersion: "1.0.2", osVersion: "12"), baseUrl: try server.url)
    change(&configuration)
    let pauses = pauses
    let source = SequenceTokenSource()
    let storage =
      tokens
      ?? PersistedTokenManager(
        store: store, visitDuration: configuration.visitDuration, clock: clock, tokens: source)
    self.server = server
    self.store = store
    ahoy = Ahoy(
      configuration: configuration, requestInterceptors: interceptors, storage: storage,
      seams: Ahoy.Seams(clock: clock, tokens: source, sleep: { pauses.add($0) }, jitter: { 1 }))
  }

  static let window: Int64 = 4 * 3_600_000
}

/// What a handler of a test was asked, and what it answers, without any network.
final class RecordedRequests: Sendable {
  private let all = Mutex<[URLRequest]>([])
  var requests: [URLRequest] { all.withLock { $0 } }
  var bodies: [String] { requests.map { String(decoding: $0.httpBody ?? Data(), as: UTF8.self) } }

  /// A handler that echoes what it gets, as the gem does with visits.
  var echo: Configuration.URLRequestHandler {
    { request in
      self.all.withLock { $0.append(request) }
      let url = try #require(request.url)
      let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil)
      return (request.httpBody ?? Data(), try #require(response))
    }
  }
}
