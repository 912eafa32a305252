import AhoyTracker
import Effects
import Foundation
import LoopRuntime
import ProxyConfiguration
import Synchronization
import TestKit

@testable import FootfallApp

/// A transport that answers by a script and keeps what it was asked to send.
final class ScriptedTransport: Transport {
  typealias Script = @Sendable (OutboundRequest, _ number: Int) async -> Result<OutboundResponse, TransportError>

  private let script: Mutex<Script>
  private let kept = Mutex<[OutboundRequest]>([])

  init(_ script: @escaping Script = { request, _ in ScriptedTransport.confirming(request) }) {
    self.script = Mutex(script)
  }

  var requests: [OutboundRequest] { kept.withLock { $0 } }

  func use(_ script: @escaping Script) { self.script.withLock { $0 = script } }

  func send(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
    let number = kept.withLock { requests in
      requests.append(request)
      return requests.count
    }
    let script = self.script.withLock { $0 }
    return try await script(request, number).get()
  }

  /// What a server answers to a registration: its tokens.
  static func confirming(_ request: OutboundRequest) -> Result<OutboundResponse, TransportError> {
    .success(OutboundResponse(status: 200, body: request.body))
  }
}

/// Visits of a test, with a loop of their own.
final class KeptVisits: Sendable {
  static let start: Int64 = 1_795_937_155_000
  static let hour: Int64 = 3_600_000

  let clock: ManualClock
  let store: MemoryKeyValueStore
  let transport: ScriptedTransport
  let visits: VisitKeeper
  let counts: Counts
  private let loop: LoopBound<EventLoop>
  private let mailbox: LoopMailbox
  private let thread: NativeThread

  init(
    renewsAutomatically: Bool = true, parameters: [JSONMember] = [JSONMember("utm_source", "egress")],
    store: MemoryKeyValueStore = MemoryKeyValueStore(),
    clock: ManualClock = ManualClock(millisecondsSinceEpoch: KeptVisits.start),
    transport: ScriptedTransport = ScriptedTransport()
  ) throws {
    self.clock = clock
    self.store = store
    self.transport = transport
    let loop = try EventLoop()
    mailbox = loop.mailbox
    let bound = LoopBound(loop, on: loop)
    self.loop = bound
    thread = try NativeThread(name: "visits") { bound.value.run() }
    let counts = Counts()
    visits = VisitKeeper(
      VisitKeeper.Settings(
        endpoint: AhoyEndpoint(baseURL: "http://app.example"), windowMilliseconds: 4 * KeptVisits.hour,
        renewsAutomatically: renewsAutomatically,
        environment: VisitKeeper.VisitEnvironment(platform: "Linux", appVersion: "1", osVersion: "12"),
        parameters: parameters),
      store: store, transport: transport, clock: clock, tokens: RandomTokens(), mailbox: loop.mailbox,
      log: ServiceLog(level: .error, clock: clock) { _ in },
      onChange: { counts.changes.withLock { $0 += 1 } }, onRegistered: { counts.registrations.withLock { $0 += 1 } })
    self.counts = counts
  }

  final class Counts: Sendable {
    let changes = Mutex(0)
    let registrations = Mutex(0)
  }

  deinit {
    visits.stop()
    let loop = self.loop
    mailbox.post { loop.value.stop() }
    thread.join()
  }

  /// Runs on the loop and waits for it.
  func onLoop<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
    await withCheckedContinuation { continuation in
      mailbox.post { continuation.resume(returning: body()) }
    }
  }

  /// Waits for what the visits are about to become, without holding a thread: what they do needs the same ones.
  func waits(_ condition: (VisitKeeper) -> Bool) async throws -> Bool {
    for _ in 0..<6000 {
      if condition(visits) { return true }
      try await Task.sleep(for: .milliseconds(10))
    }
    return false
  }

  func json(_ request: OutboundRequest) throws -> JSONValue { try JSONReader().value(request.body) }

  struct RandomTokens: TokenSource {
    func sixteenBytes() -> (UInt64, UInt64) { (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)) }
  }
}
