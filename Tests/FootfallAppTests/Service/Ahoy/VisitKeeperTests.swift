import AdminAPI
import AhoyTracker
import Effects
import Foundation
import Recording
import Synchronization
import TestKit
import Testing

@testable import FootfallApp

@Suite struct VisitKeeperTests {
  @Test func recordsUnderItsTokensAtOnceAndInjectsThemOnceConfirmed() async throws {
    let gate = Mutex<CheckedContinuation<Void, Never>?>(nil)
    let kept = try KeptVisits(
      transport: ScriptedTransport { request, _ in
        await withCheckedContinuation { continuation in gate.withLock { $0 = continuation } }
        return ScriptedTransport.confirming(request)
      })
    let part = kept.visits.snapshotPart()
    #expect(part.confirmed == nil && part.isAwaited)
    #expect(String(decoding: part.eventMembers, as: UTF8.self).hasPrefix(#","ahoy":{"visit":""#))
    #expect(part.validity.upperBound == KeptVisits.start + 4 * KeptVisits.hour)
    kept.visits.ensure()
    #expect(try await kept.waits { _ in gate.withLock { $0 != nil } })
    #expect(kept.visits.snapshotPart().confirmed == nil)
    gate.withLock { $0 }?.resume()
    #expect(try await kept.waits { $0.snapshotPart().confirmed != nil })
    let confirmed = kept.visits.snapshotPart()
    #expect(confirmed.eventMembers == part.eventMembers && !confirmed.isAwaited)
    #expect(try await kept.waits { _ in kept.counts.registrations.withLock { $0 } == 1 })
    let body = try kept.json(try #require(kept.transport.requests.first))
    #expect(body["visit_token"]?.string == confirmed.confirmed?.visit)
    #expect(body["platform"]?.string == "Linux" && body["utm_source"]?.string == "egress")
  }

  @Test func registersOnceHoweverManyAsk() async throws {
    let kept = try KeptVisits()
    _ = kept.visits.snapshotPart()
    DispatchQueue.concurrentPerform(iterations: 200) { _ in kept.visits.ensure() }
    #expect(try await kept.waits { $0.snapshotPart().confirmed != nil })
    for _ in 0..<50 { kept.visits.ensure() }
    _ = await kept.onLoop { 0 }
    #expect(kept.transport.requests.count == 1)
  }

  @Test func goesOnWithTheSameVisitAfterARestart() async throws {
    let store = MemoryKeyValueStore()
    let first: VisitKeeper.SnapshotPart
    do {
      let kept = try KeptVisits(store: store)
      first = kept.visits.snapshotPart()
      kept.visits.ensure()
      #expect(try await kept.waits { $0.snapshotPart().confirmed != nil })
      try await kept.onLoop { Result { try kept.visits.attach("user 1") } }.get()
    }
    let again = try KeptVisits(store: store)
    let part = again.visits.snapshotPart()
    #expect(
      part.confirmed?.visit == String(decoding: first.eventMembers, as: UTF8.self).split(separator: "\"")[5].description
    )
    #expect(String(decoding: part.eventMembers, as: UTF8.self).contains(#""user":"user 1""#))
    #expect(again.transport.requests.isEmpty)
  }

  @Test func sendsTheSameTokensAgainAfterAFailureAndAKill() async throws {
    let store = MemoryKeyValueStore()
    var tokens: [String?] = []
    for _ in 0..<2 {
      let kept = try KeptVisits(
        store: store, transport: ScriptedTransport { _, _ in .failure(TransportError(.unreachable, "refused")) })
      _ = kept.visits.snapshotPart()
      kept.visits.ensure()
      #expect(try await kept.waits { $0.statusReport().lastError != nil })
      #expect(kept.visits.statusReport().lastError == "unreachable: refused")
      #expect(kept.visits.snapshotPart().isAwaited)
      tokens.append(try kept.json(try #require(kept.transport.requests.first))["visit_token"]?.string)
    }
    #expect(tokens[0] != nil && tokens[0] == tokens[1])
  }

  @Test func followsAnEndedVisitByAnotherOfTheSameVisitor() async throws {
    let kept = try KeptVisits()
    _ = kept.visits.snapshotPart()
    kept.visits.ensure()
    #expect(try await kept.waits { $0.snapshotPart().confirmed != nil })
    let first = kept.visits.snapshotPart()
    kept.clock.advance(milliseconds: 4 * KeptVisits.hour - 1)
    #expect(kept.visits.snapshotPart().confirmed == first.confirmed)
    kept.clock.advance(milliseconds: 1)
    let second = kept.visits.snapshotPart()
    #expect(second.confirmed == nil && second.isAwaited)
    #expect(second.eventMembers != first.eventMembers)
    // Nothing is registered before something needs it.
    _ = await kept.onLoop { 0 }
    #expect(kept.transport.requests.count == 1)
    kept.visits.ensure()
    #expect(try await kept.waits { $0.snapshotPart().confirmed != nil })
    let renewed = try #require(kept.visits.snapshotPart().confirmed)
    #expect(renewed.visitor == first.confirmed?.visitor && renewed.visit != first.confirmed?.visit)
    // Events of the first still find it.
    let old = try #require(first.confirmed)
    guard case .registered(let fields) = kept.visits.standing(old) else {
      Issue.record("the first visit is forgotten")
      return
    }
    #expect(fields.contains(JSONMember("utm_source", "egress")))
  }

  @Test func belongsToNoVisitWhenNoneFollowsByItself() async throws {
    let kept = try KeptVisits(renewsAutomatically: false)
    let none = kept.visits.snapshotPart()
    #expect(none.eventMembers.isEmpty && !none.isAwaited)
    kept.visits.ensure()
    _ = await kept.onLoop { 0 }
    #expect(kept.transport.requests.isEmpty)
    let result = Mutex<Result<VisitRecord, VisitMachine.Failure>?>(nil)
    await kept.onLoop {
      kept.visits.trackVisit([JSONMember("utm_source", "mine"), JSONMember("referrer", "http://r/")]) { outcome in
        result.withLock { $0 = outcome }
      }
    }
    #expect(try await kept.waits { _ in result.withLock { $0 != nil } })
    let record = try #require(try result.withLock { $0 }?.get())
    #expect(record.fields.contains(JSONMember("utm_source", "mine")))
    #expect(kept.visits.snapshotPart().confirmed == record.tokens)
  }

  @Test func registersAVisitThatWasNeverConfirmedBeforeItsEventsTravel() async throws {
    let kept = try KeptVisits()
    let stranger = VisitTokens(visit: "visit-of-old", visitor: "visitor")
    #expect(kept.visits.standing(stranger) == .pending)
    #expect(try await kept.waits { $0.standing(stranger) != .pending })
    #expect(try await kept.waits { _ in kept.counts.registrations.withLock { $0 } >= 1 })
    let body = try kept.json(try #require(kept.transport.requests.first))
    #expect(body["visit_token"]?.string == "visit-of-old" && body["platform"]?.string == "Linux")
  }

  @Test(arguments: [400, 413])
  func givesUpAVisitThatTheServerWillNeverTake(status: Int) async throws {
    let kept = try KeptVisits(transport: ScriptedTransport { _, _ in .success(OutboundResponse(status: status)) })
    _ = kept.visits.snapshotPart()
    kept.visits.ensure()
    let tokens = try #require(kept.visits.state.withLock { $0.machine.record?.tokens })
    #expect(
      try await kept.waits {
        if case .refused = $0.standing(tokens) { true } else { false }
      })
    // What is too large is tried once more without its parameters.
    #expect(kept.transport.requests.count == (status == 413 ? 2 : 1))
    if status == 413 { #expect(try kept.json(kept.transport.requests[1])["utm_source"] == nil) }
  }

  @Test func pausesAfterAFailureAndTriesAgain() async throws {
    let kept = try KeptVisits(
      transport: ScriptedTransport { request, number in
        number == 1 ? .success(OutboundResponse(status: 503)) : ScriptedTransport.confirming(request)
      })
    _ = kept.visits.snapshotPart()
    kept.visits.ensure()
    #expect(try await kept.waits { $0.statusReport().lastError != nil })
    for _ in 0..<20 { kept.visits.ensure() }
    _ = await kept.onLoop { 0 }
    #expect(kept.transport.requests.count == 1)
    kept.clock.advance(milliseconds: 1001)
    kept.visits.ensure()
    #expect(try await kept.waits { $0.snapshotPart().confirmed != nil })
    #expect(kept.visits.statusReport().lastError == nil)
  }

  @Test func startsAnotherVisitOnResetAndIgnoresTheLateAnswer() async throws {
    let gate = Mutex<[CheckedContinuation<Void, Never>]>([])
    let kept = try KeptVisits(
      transport: ScriptedTransport { request, number in
        if number == 1 { await withCheckedContinuation { continuation in gate.withLock { $0.append(continuation) } } }
        return ScriptedTransport.confirming(request)
      })
    _ = kept.visits.snapshotPart()
    kept.visits.ensure()
    #expect(try await kept.waits { _ in gate.withLock { !$0.isEmpty } })
    let token = await kept.onLoop { kept.visits.reset() }
    // Its parameters may still be told: it waits to be needed.
    _ = await kept.onLoop { 0 }
    #expect(kept.transport.requests.count == 1 && kept.visits.snapshotPart().isAwaited)
    kept.visits.ensure()
    #expect(try await kept.waits { $0.snapshotPart().confirmed?.visit == token })
    gate.withLock { $0.first }?.resume()
    _ = await kept.onLoop { 0 }
    #expect(kept.visits.snapshotPart().confirmed?.visit == token)
  }

  @Test func keepsWorkingWithAStoreThatFails() async throws {
    let kept = try KeptVisits()
    kept.store.writeError = StoreError(.full, "no space")
    _ = kept.visits.snapshotPart()
    kept.visits.ensure()
    #expect(try await kept.waits { $0.snapshotPart().confirmed != nil })
    #expect(throws: StoreError.self) { try kept.visits.attach("u") }
    #expect(kept.visits.statusReport().userID == nil)
  }
}
