import Effects
import Foundation
import Synchronization
import TestKit
import Testing

@testable import Cohorly

/// Flags of a client over a real server (cohorly.md, section 4.4).
@Suite struct ClientFlagTests {
  /// What a listener was told: the values by key.
  final class Told: Sendable {
    private let all = Mutex<[[String: FeatureFlagValue]]>([])
    var maps: [[String: FeatureFlagValue]] { all.withLock { $0 } }
    var listener: @Sendable ([String: FeatureFlag]) -> Void {
      { flags in self.all.withLock { $0.append(flags.mapValues(\.value)) } }
    }
  }

  static let all: [String: FeatureFlagValue] = ["checkout": true, "banner": "blue", "hidden": false]

  static func loaded(
    storage: MemoryStorage = MemoryStorage(), flags: Cohorly.FlagOptions = Cohorly.FlagOptions(loads: false)
  ) async throws -> CohorlyHarness {
    let harness = try CohorlyHarness(storage: storage, token: "tok-1", flags: flags)
    await harness.cohorly.reloadFeatureFlags()
    return harness
  }

  @Test func row59_knowsNothingBeforeItIsLoaded() async throws {
    let harness = try CohorlyHarness()
    #expect(harness.cohorly.getFeatureFlag("banner") == nil)
    #expect(harness.cohorly.getFeatureFlag("banner", fallback: "control") == "control")
    #expect(!harness.cohorly.isFeatureEnabled("checkout"))
    #expect(harness.cohorly.isFeatureEnabled("checkout", fallback: true))
    await harness.cohorly.flush()
    #expect(harness.server.requests.isEmpty)
  }

  @Test func row60_asksForItsIdentity() async throws {
    let harness = try await Self.loaded()
    let id = JSONValue.string(harness.cohorly.currentDistinctId)
    #expect(try harness.server.evaluations == [["distinct_id": id, "token": "tok-1"]])
    #expect(harness.server.requests.count == 1)
  }

  @Test func row61_readsWhatWasEvaluated() async throws {
    let cohorly = try await Self.loaded().cohorly
    #expect(cohorly.isFeatureEnabled("checkout"))
    #expect(cohorly.getFeatureFlag("checkout") == true)
    #expect(cohorly.getFeatureFlag("banner") == "blue")
    #expect(cohorly.getFeatureFlagPayload("banner") == ["color": "#00f"])
    #expect(!cohorly.isFeatureEnabled("hidden", fallback: true))
    #expect(cohorly.getFeatureFlag("hidden", fallback: true) == false)
    #expect(cohorly.getFeatureFlag("nope") == nil)
    #expect(cohorly.getFeatureFlag("nope", fallback: false) == false)
    #expect(cohorly.getFeatureFlagPayload("nope") == nil)
    let details = cohorly.getFeatureFlagDetails("banner", fallback: "control")
    #expect(details.value == "blue" && details.enabled && details.source == .network)
    #expect(details.payload == ["color": "#00f"] && details.persistedAt == nil && details.ttlMs == nil)
  }

  @Test func row62_keepsWhatWasEvaluated() async throws {
    let harness = try await Self.loaded()
    let kept = try JSONReader().value(try #require(harness.storage.texts["cohorly-flags"]))
    #expect(kept["distinct_id"]?.string == harness.cohorly.currentDistinctId)
    #expect(kept["flags"]?["banner"]?["variant"] == "blue")
    #expect(kept["stored_at"] == .integer(harness.clock.millisecondsSinceEpoch()))
  }

  @Test func row63_servesWhatWasKeptWithoutANetwork() async throws {
    let first = try await Self.loaded()
    let second = try CohorlyHarness(storage: first.storage, host: CohorlyHarness.nowhere, flags: .init(loads: true))
    let told = Told()
    second.cohorly.onFeatureFlags(told.listener)
    #expect(second.cohorly.getFeatureFlag("banner") == "blue")
    #expect(try await eventually { told.maps == [Self.all] })
    #expect(try await eventually { second.cohorly.status.flagError != nil })
    let details = second.cohorly.getFeatureFlagDetails("banner")
    #expect(details.source == .persistence && details.ttlMs == 86_400_000)
    #expect(details.persistedAt == Date(timeIntervalSince1970: Double(first.clock.millisecondsSinceEpoch()) / 1000))
  }

  @Test func row64_servesNothingOfAnotherIdentity() async throws {
    let first = try await Self.loaded()
    first.storage.plant(#"{"distinct":"somebody","device":"d","anonymous":false}"#, "cohorly-identity")
    let second = try CohorlyHarness(storage: first.storage)
    #expect(second.cohorly.getFeatureFlag("banner") == nil)
    #expect(second.storage.texts["cohorly-flags"] == nil)
  }

  @Test func row65_evaluatesAtTheStartUnlessToldNotTo() async throws {
    let loading = try CohorlyHarness(flags: .init(loads: true))
    #expect(try await eventually { loading.cohorly.getFeatureFlag("banner") == "blue" })
    #expect(try loading.server.evaluations.count == 1)
    let waiting = try CohorlyHarness(flags: .init(loads: false))
    waiting.cohorly.track("a")
    await waiting.cohorly.flush()
    #expect(try waiting.server.evaluations.isEmpty)
    await waiting.cohorly.reloadFeatureFlags()
    #expect(waiting.cohorly.getFeatureFlag("banner") == "blue")
  }

  @Test func row66_evaluatesForTheNewIdentity() async throws {
    let harness = try await Self.loaded()
    harness.cohorly.identify("u1")
    #expect(try await eventually { harness.cohorly.getFeatureFlag("banner") == "blue" })
    #expect(try harness.server.evaluations.last?["distinct_id"] == "u1")
    let gate = DispatchSemaphore(value: 0)
    harness.server.script { request in
      if request.path == "/flags/evaluate" { gate.wait() }
      return nil
    }
    harness.cohorly.reset()
    #expect(harness.cohorly.getFeatureFlag("banner", fallback: "control") == "control")
    gate.signal()
    #expect(try await eventually { harness.cohorly.getFeatureFlag("banner") == "blue" })
    #expect(try harness.server.evaluations.last?["distinct_id"]?.string == harness.cohorly.currentDistinctId)
  }

  @Test func row67_servesNothingOfTheOldIdentityWhenTheNewOneCannotBeEvaluated() async throws {
    let harness = try await Self.loaded()
    harness.server.script { $0.path == "/flags/evaluate" ? CohorlyServer.response(500) : nil }
    harness.cohorly.identify("u1")
    #expect(harness.cohorly.getFeatureFlag("banner") == nil)
    #expect(harness.storage.texts["cohorly-flags"] == nil)
    #expect(try await eventually { harness.cohorly.status.flagError == "status 500" })
    #expect(harness.cohorly.getFeatureFlag("banner") == nil)
  }

  @Test(arguments: [429, 200, 500, 0]) func row68_keepsWhatThereIsWhenAReloadFails(status: Int) async throws {
    let harness = try await Self.loaded()
    let kept = harness.storage.texts["cohorly-flags"]
    // 0 is no answer of HTTP at all.
    harness.server.script { _ in status == 0 ? "nonsense" : CohorlyServer.response(status, #""not-an-object""#) }
    await harness.cohorly.reloadFeatureFlags()
    #expect(harness.cohorly.getFeatureFlag("banner") == "blue")
    #expect(harness.storage.texts["cohorly-flags"] == kept)
    #expect(harness.cohorly.status.flagError != nil)
    // One attempt.
    #expect(try harness.server.evaluations.count == 2)
  }

  @Test func row69_tellsListenersOfEachEvaluation() async throws {
    let harness = try CohorlyHarness()
    let told = Told()
    let end = harness.cohorly.onFeatureFlags(told.listener)
    #expect(told.maps.isEmpty)
    await harness.cohorly.reloadFeatureFlags()
    #expect(try await eventually { told.maps.count == 1 })
    await harness.cohorly.reloadFeatureFlags()
    #expect(try await eventually { told.maps.count == 2 })
    end()
    await harness.cohorly.reloadFeatureFlags()
    let late = Told()
    harness.cohorly.onFeatureFlags(late.listener)
    #expect(try await eventually { late.maps == [Self.all] })
    #expect(told.maps == [Self.all, Self.all])
  }

  @Test func row70_tellsListenersOfTheClearing() async throws {
    let harness = try await Self.loaded()
    let told = Told()
    harness.cohorly.onFeatureFlags(told.listener)
    #expect(try await eventually { told.maps.count == 1 })
    harness.cohorly.identify("u1")
    #expect(try await eventually { told.maps.count == 3 })
    #expect(told.maps == [Self.all, [:], Self.all])
  }

  @Test func aSlowListenerHoldsUpNobody() async throws {
    let harness = try CohorlyHarness()
    let gate = DispatchSemaphore(value: 0)
    harness.cohorly.onFeatureFlags { _ in gate.wait() }
    let told = Told()
    harness.cohorly.onFeatureFlags(told.listener)
    // A listener may call the client.
    harness.cohorly.onFeatureFlags { flags in
      if !flags.isEmpty { harness.cohorly.track("loaded") }
    }
    await harness.cohorly.reloadFeatureFlags()
    #expect(try await eventually { told.maps.count == 1 })
    #expect(try await eventually { harness.storage.queued.count == 1 })
    gate.signal()
  }

  @Test func row71_reportsEachValueOnce() async throws {
    let harness = try await Self.loaded()
    for _ in 0..<2 { _ = harness.cohorly.getFeatureFlag("banner") }
    _ = harness.cohorly.isFeatureEnabled("banner")
    _ = harness.cohorly.isFeatureEnabled("checkout")
    _ = harness.cohorly.getFeatureFlag("checkout")
    _ = harness.cohorly.getFeatureFlagDetails("checkout")
    await harness.cohorly.flush()
    #expect(try harness.server.exposures == [["banner", "blue", "network"], ["checkout", true, "network"]])
  }

  @Test func row71_reportsEachValueOnceToManyThreads() async throws {
    let harness = try await Self.loaded()
    await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { for _ in 0..<200 { _ = harness.cohorly.getFeatureFlag("banner") } } }
    }
    await harness.cohorly.flush()
    #expect(try harness.server.exposures.count == 1)
  }

  @Test func row72_reportsAnotherValue() async throws {
    let harness = try await Self.loaded()
    _ = harness.cohorly.getFeatureFlag("banner")
    harness.server.setFlags(#"{"banner":{"enabled":true,"variant":"red"}}"#)
    await harness.cohorly.reloadFeatureFlags()
    _ = harness.cohorly.getFeatureFlag("banner")
    await harness.cohorly.flush()
    #expect(try harness.server.exposures.map { $0[1] } == ["blue", "red"])
  }

  @Test func row73_reportsForEachIdentity() async throws {
    let harness = try await Self.loaded()
    _ = harness.cohorly.getFeatureFlag("banner")
    await harness.cohorly.flush()
    harness.cohorly.identify("u1")
    await harness.cohorly.reloadFeatureFlags()
    _ = harness.cohorly.getFeatureFlag("banner")
    await harness.cohorly.flush()
    harness.cohorly.reset()
    await harness.cohorly.reloadFeatureFlags()
    _ = harness.cohorly.getFeatureFlag("banner")
    await harness.cohorly.flush()
    let exposed = try harness.server.events.filter { $0["event"] == "$feature_flag_called" }
    #expect(Set(exposed.map { $0["properties"]?["distinct_id"] }).count == 3)
    #expect(exposed.count == 3)
  }

  @Test func row74_reportsNoPayloadsAndNothingUnknown() async throws {
    let harness = try await Self.loaded()
    _ = harness.cohorly.getFeatureFlagPayload("banner")
    _ = harness.cohorly.getFeatureFlag("nope", fallback: "x")
    await harness.cohorly.flush()
    let silent = try await Self.loaded(flags: .init(loads: false, reportsExposures: false))
    _ = silent.cohorly.getFeatureFlag("banner")
    await silent.cohorly.flush()
    #expect(try harness.server.exposures.isEmpty && silent.server.exposures.isEmpty)
  }

  @Test func row76_ignoresALateAnswerForAnotherIdentity() async throws {
    let harness = try CohorlyHarness()
    let gate = DispatchSemaphore(value: 0)
    harness.server.script { request in
      guard request.path == "/flags/evaluate", !request.body.contains("user-b") else { return nil }
      gate.wait()
      return CohorlyServer.response(200, #"{"flags":{"banner":{"enabled":true,"variant":"of A"}}}"#)
    }
    async let late: Void = harness.cohorly.reloadFeatureFlags()
    #expect(try await eventually { try harness.server.evaluations.count == 1 })
    harness.cohorly.identify("user-b")
    #expect(try await eventually { harness.cohorly.getFeatureFlag("banner") == "blue" })
    gate.signal()
    await late
    #expect(harness.cohorly.getFeatureFlag("banner") == "blue")
    #expect(harness.storage.texts["cohorly-flags"]?.contains("of A") == false)
  }

  @Test func row77_ignoresAnAnswerThatANewerReloadHasOvertaken() async throws {
    let harness = try CohorlyHarness()
    let gate = DispatchSemaphore(value: 0)
    let count = Mutex(0)
    harness.server.script { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      guard number == 1 else { return nil }
      gate.wait()
      return CohorlyServer.response(200, #"{"flags":{"banner":{"enabled":true,"variant":"older"}}}"#)
    }
    async let late: Void = harness.cohorly.reloadFeatureFlags()
    #expect(try await eventually { harness.server.requests.count == 1 })
    await harness.cohorly.reloadFeatureFlags()
    gate.signal()
    await late
    #expect(harness.cohorly.getFeatureFlag("banner") == "blue")
  }

  @Test(arguments: ["blue", "red"]) func row78_row79_tellsWhereAValueCameFrom(network: String) async throws {
    let first = try await Self.loaded()
    let second = try CohorlyHarness(server: first.server, storage: first.storage, clock: first.clock)
    _ = second.cohorly.getFeatureFlag("banner")
    first.server.setFlags(#"{"banner":{"enabled":true,"variant":"\#(network)"}}"#)
    await second.cohorly.reloadFeatureFlags()
    _ = second.cohorly.getFeatureFlag("banner")
    await second.cohorly.flush()
    let exposed = try first.server.events.filter { $0["event"] == "$feature_flag_called" }.map { $0["properties"] }
    let persisted = JSONValue.integer(first.clock.millisecondsSinceEpoch())
    #expect(exposed.first??["$feature_flag_source"] == "persistence")
    #expect(exposed.first??["$feature_flag_persisted_at"] == persisted)
    #expect(exposed.first??["$feature_flag_ttl_ms"] == 86_400_000)
    #expect(exposed.count == (network == "blue" ? 1 : 2))
    if network == "red" {
      #expect(exposed.last??["$feature_flag_source"] == "network")
      #expect(exposed.last??["$feature_flag_response"] == "red")
      #expect(exposed.last??["$feature_flag_persisted_at"] == nil && exposed.last??["$feature_flag_ttl_ms"] == nil)
    }
  }

  /// The tables themselves are the store's business; here that a client drops what has become too old.
  @Test func dropsKeptFlagsThatAreTooOld() async throws {
    let first = try await Self.loaded()
    let clock = ManualClock(millisecondsSinceEpoch: first.clock.millisecondsSinceEpoch())
    let second = try CohorlyHarness(storage: first.storage, clock: clock)
    clock.advance(milliseconds: 7 * 86_400_000 - 1)
    #expect(second.cohorly.getFeatureFlag("banner") == "blue")
    clock.advance(milliseconds: 1)
    #expect(second.cohorly.getFeatureFlag("banner") == nil)
    #expect(second.storage.texts["cohorly-flags"] == nil)
  }

  @Test func warnsOfATimeToLiveThatKeepsNothing() async throws {
    let harness = try await Self.loaded(flags: .init(loads: false, ttlMilliseconds: 0))
    #expect(harness.cohorly.getFeatureFlag("banner") == "blue")
    #expect(harness.storage.texts["cohorly-flags"] == nil)
    #expect(harness.log.lines.contains { $0.contains("networkOnly") })
  }
}
