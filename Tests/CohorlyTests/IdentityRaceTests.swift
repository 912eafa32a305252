import Effects
import Foundation
import Synchronization
import TestKit
import Testing

@testable import Cohorly

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers each evaluation with a flag whose variant is the id that was asked for.
private struct EchoingTransport: CohorlyTransport {
  func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
    let url = try #require(request.url)
    let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: nil))
    guard url.path.hasSuffix("/flags/evaluate") else { return (Data(), response) }
    // At another moment each time.
    if Bool.random() { await Task.yield() }
    let id = try JSONReader().value(Array(request.httpBody ?? Data()))["distinct_id"]?.string ?? ""
    return (Data(#"{"flags":{"who":{"enabled":true,"variant":"\#(id)"}}}"#.utf8), response)
  }
}

/// The ids in the order in which they became the current one.
private final class Identities: Sendable {
  private let state = Mutex((order: [String: Int](), latest: 0))

  func add(_ id: String, _ number: Int) {
    state.withLock { state in
      state.order[id] = number
      state.latest = max(state.latest, number)
    }
  }

  var latest: Int { state.withLock { $0.latest } }
  /// One that is not known yet is newer than all.
  func number(of id: String) -> Int { state.withLock { $0.order[id] ?? .max } }
}

/// What the threads of the race tell each other.
private final class Race: Sendable {
  let isOver = Atomic(false)
  let reads = Atomic(0)
  let known = Atomic(0)
  let stale = Mutex<[String]>([])
}

@Suite struct IdentityRaceTests {
  /// To be run under ThreadSanitizer, too.
  @Test func neverReadsAValueOfAnIdentityBefore() async throws {
    let harness = try CohorlyHarness(transport: EchoingTransport())
    let cohorly = harness.cohorly
    let identities = Identities()
    identities.add(cohorly.currentDistinctId, 0)
    let race = Race()
    await withTaskGroup { group in
      group.addTask {
        for number in 1...10_000 {
          if number.isMultiple(of: 2) {
            cohorly.reset()
            identities.add(cohorly.currentDistinctId, number)
          } else {
            cohorly.identify("user-\(number)")
            identities.add("user-\(number)", number)
          }
          if number.isMultiple(of: 8) { await Task.yield() }
        }
        race.isOver.store(true, ordering: .releasing)
      }
      for reader in 0..<3 {
        group.addTask {
          while !race.isOver.load(ordering: .acquiring) {
            let before = identities.latest
            let value = reader == 0 ? cohorly.getFeatureFlagDetails("who").value : cohorly.getFeatureFlag("who")
            race.reads.add(1, ordering: .relaxed)
            if case .string(let id) = value {
              race.known.add(1, ordering: .relaxed)
              if identities.number(of: id) < before { race.stale.withLock { $0.append("\(id) after \(before)") } }
            }
            await Task.yield()
          }
        }
      }
      group.addTask { while !race.isOver.load(ordering: .acquiring) { await cohorly.reloadFeatureFlags() } }
    }
    #expect(race.stale.withLock { $0 } == [])
    #expect(
      race.known.load(ordering: .relaxed) > 0, "of \(race.reads.load(ordering: .relaxed)) reads none found a value")
    // What is kept is that of the last identity, or nothing.
    await cohorly.reloadFeatureFlags()
    #expect(cohorly.getFeatureFlag("who") == .string(cohorly.currentDistinctId))
    #expect(harness.storage.texts["cohorly-flags"]?.contains(cohorly.currentDistinctId) == true)
  }
}
