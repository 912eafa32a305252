import Effects
import Foundation
import LoopRuntime
import ProxyCore
import ProxyServer
import RuleEngines
import Synchronization
import TestKit
import Testing
import URLRules

/// A proxy of one test, on a port of its own, with what it has recorded.
final class ProxyFixture: Sendable {
  let service: ProxyService
  let snapshots: SnapshotBox
  let resolver: Resolver
  private let kept = Records()

  /// - Parameters:
  ///   - rules: what matches; the effect of the visitor id puts `visitorID` into `x-visitor-id`.
  ///   - settings: changes what differs from a test's usual settings.
  ///   - names: answers look-ups instead of the system's resolver.
  init(
    workers: Int = 1, ipv6: Bool = false, rules: [RuleDefinition] = [], visitorID: String = "the-id",
    addsVia: Bool = true, validity: Range<Int64> = 0..<Int64.max,
    settings change: (inout ProxySettings) -> Void = { _ in },
    names: @escaping Resolver.LookUp = Resolver.systemLookUp,
    renew: @escaping @Sendable (SnapshotBox) -> Void = { _ in }
  ) throws {
    let kept = self.kept
    var settings = ProxySettings()
    change(&settings)
    let box = SnapshotBox(
      try ProxyFixture.snapshot(
        settings: settings, rules: rules, visitorID: visitorID, generation: 1, validity: validity))
    snapshots = box
    resolver = Resolver(threads: 1, lookUp: names)
    let address = ipv6 ? IPAddress(high: 0, low: 1) : IPAddress(v4: 0x7f00_0001)
    service = try ProxyService(
      ProxyService.Parts(
        listen: [Endpoint(address, port: 0)], workers: workers, snapshots: snapshots, resolver: resolver,
        viaPseudonym: "footfall-test", addsVia: addsVia, seed: 7,
        sink: { batch in kept.records.withLock { $0 += batch.records() } }, renew: { renew(box) }))
  }

  private final class Records: Sendable {
    let records = Mutex<[ExchangeRecord]>([])
  }

  deinit {
    service.stop()
    resolver.stop()
  }

  static func snapshot(
    settings: ProxySettings = ProxySettings(), rules: [RuleDefinition] = [], visitorID: String = "the-id",
    generation: Int, validity: Range<Int64> = 0..<Int64.max
  ) throws -> InjectionSnapshot {
    let compiled = RuleSet.compile(rules, patterns: PCRE2PatternEngine(), hostNames: IDNA2008HostNameEncoder())
    let injection = try #require(
      InjectionSnapshot.Injection(effect: .visitorID, name: "x-visitor-id", value: visitorID))
    return InjectionSnapshot(
      settings: settings, rules: compiled.rules, injections: [injection], visitorID: visitorID,
      validity: validity, generation: generation)
  }

  var port: UInt16 { service.endpoints[0].port }

  /// A new connection to the proxy.
  func client(receiveBuffer: CInt? = nil) throws -> RawConnection {
    try RawConnection(
      port: port, ipv6: service.endpoints[0].address.isIPv6, receiveBuffer: receiveBuffer)
  }

  /// Sends one message on a connection of its own and reads the response.
  func response(to message: String, toHEAD: Bool = false) throws -> RawResponse {
    let client = try client()
    try client.send(message)
    return try client.readResponse(toHEAD: toHEAD)
  }

  /// What the workers have counted.
  var counters: WorkerCounters { service.counters(waitMilliseconds: 5000).counters }

  /// Waits until the counters are as asked for; false after ten seconds.
  func waits(until condition: (WorkerCounters) -> Bool) -> Bool { eventually { condition(counters) } }

  /// The records, once there are so many of them.
  func records(_ count: Int) throws -> [ExchangeRecord] {
    for _ in 0..<500 {
      let records = kept.records.withLock { $0 }
      if records.count >= count { return records }
      usleep(10_000)
    }
    throw RawSocketError(words: "only \(kept.records.withLock { $0.count }) records came")
  }
}

/// A request with a Host field and those others.
func message(_ startLine: String, _ fields: String..., body: String = "") -> String {
  ([startLine, "Host: h"] + fields).map { $0 + "\r\n" }.joined() + "\r\n" + body
}

/// A response of status 200 with that body.
func ok(_ body: String, _ fields: String...) -> String {
  (["HTTP/1.1 200 OK", "Content-Length: \(body.utf8.count)"] + fields).map { $0 + "\r\n" }.joined() + "\r\n" + body
}

extension ScriptedOrigin {
  var url: String { "http://127.0.0.1:\(port)" }
}

/// Whether the condition comes true within ten seconds.
func eventually(_ condition: () -> Bool) -> Bool {
  for _ in 0..<1000 {
    if condition() { return true }
    usleep(10_000)
  }
  return false
}
