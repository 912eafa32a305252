import Effects
import Foundation
import TestKit
import Testing

@testable import Cohorly

/// Events, registered properties and identity (cohorly.md, section 4.1).
@Suite struct CohorlyTests {
  @Test func row1_tellsOfAnEvent() async throws {
    let harness = try CohorlyHarness()
    harness.cohorly.track("Signed Up", properties: ["plan": "pro"])
    await harness.cohorly.flush()
    let event = try #require(try harness.server.events.first)
    #expect(event["event"] == "Signed Up")
    let properties = try #require(event["properties"])
    #expect(properties["plan"] == "pro")
    #expect(properties["distinct_id"]?.string == harness.cohorly.currentDistinctId)
    #expect(properties["time"] == .integer(harness.clock.millisecondsSinceEpoch()))
    #expect(properties["$insert_id"]?.string.map(UUIDText.isLowercaseUUID) == true)
    #expect(properties["$lib"] == "footfall-swift")
    #expect(properties["$lib_version"]?.string?.isEmpty == false)
    #expect(properties["$os"] == "Linux")
    #expect(properties["$os_version"]?.string?.isEmpty == false)
  }

  @Test func row2_givesEachEventItsId() async throws {
    let harness = try CohorlyHarness()
    for _ in 0..<2 { harness.cohorly.track("a") }
    await harness.cohorly.flush()
    #expect(Set(try harness.properties.map { $0["$insert_id"] }).count == 2)
  }

  @Test func row3_row4_addsWhatIsRegistered() async throws {
    let harness = try CohorlyHarness()
    harness.cohorly.register(["app_version": "1.2.0", "plan": "free"])
    harness.cohorly.track("a")
    harness.cohorly.track("b", properties: ["plan": "pro"])
    harness.cohorly.unregister("app_version")
    harness.cohorly.unregister("never there")
    harness.cohorly.track("c")
    await harness.cohorly.flush()
    let properties = try harness.properties
    #expect(properties.map { $0["app_version"] } == ["1.2.0", "1.2.0", nil])
    #expect(properties.map { $0["plan"] } == ["free", "pro", "free"])
  }

  @Test func row5_row6_tellsOfTheFirstStepOnly() async throws {
    let harness = try CohorlyHarness()
    let anonymous = harness.cohorly.currentDistinctId
    harness.cohorly.identify("user-42")
    #expect(harness.cohorly.currentDistinctId == "user-42")
    await harness.cohorly.flush()
    #expect(try harness.server.aliases == [["alias": .string(anonymous), "distinct_id": "user-42"]])
    let kept = try JSONReader().value(try #require(harness.storage.texts["cohorly-identity"]))
    #expect(kept["distinct"] == "user-42" && kept["anonymous"] == false && kept["device"]?.string == anonymous)
    harness.cohorly.identify("user-99")
    await harness.cohorly.flush()
    #expect(try harness.server.aliases.count == 1)
    #expect(harness.cohorly.currentDistinctId == "user-99")
  }

  @Test func row7_hasSwitchedBeforeAnythingIsAnswered() async throws {
    let harness = try CohorlyHarness()
    let gate = DispatchSemaphore(value: 0)
    harness.server.script { request in
      if request.path == "/alias" { gate.wait() }
      return nil
    }
    harness.cohorly.identify("user-42")
    #expect(harness.cohorly.currentDistinctId == "user-42")
    // It is sent by itself.
    #expect(try await eventually { try !harness.server.aliases.isEmpty })
    harness.cohorly.track("a")
    gate.signal()
    await harness.cohorly.flush()
    #expect(try harness.properties.map { $0["$user_id"] } == ["user-42"])
  }

  @Test func row8_triesAnAliasOnce() async throws {
    let harness = try CohorlyHarness()
    harness.server.script { $0.path == "/alias" ? CohorlyServer.response(500) : nil }
    harness.cohorly.identify("user-42")
    for _ in 0..<3 { await harness.cohorly.flush() }
    #expect(try harness.server.aliases.count == 1)
    #expect(harness.cohorly.currentDistinctId == "user-42")
    #expect(harness.cohorly.status.waiting == 0)
    #expect(harness.cohorly.status.refused == 0)
  }

  @Test func row9_doesNothingForTheCurrentId() async throws {
    let harness = try CohorlyHarness()
    harness.cohorly.identify(harness.cohorly.currentDistinctId)
    harness.cohorly.identify("")
    await harness.cohorly.flush()
    #expect(harness.server.requests.isEmpty)
    harness.cohorly.track("a")
    await harness.cohorly.flush()
    #expect(try harness.properties.map { $0["$user_id"] } == [nil])
    #expect(harness.log.lines == ["identify: an empty id is ignored"])
  }

  @Test func row10_tellsOfTheIdAfterAReset() async throws {
    let harness = try CohorlyHarness()
    harness.cohorly.identify("u1")
    await harness.cohorly.flush()
    harness.cohorly.reset()
    let anonymous = harness.cohorly.currentDistinctId
    harness.cohorly.identify("u2")
    await harness.cohorly.flush()
    #expect(try harness.server.aliases.last == ["alias": .string(anonymous), "distinct_id": "u2"])
  }

  @Test func row11_row20_sendsTheTokenEverywhereOrNowhere() async throws {
    for token in ["tok-1", nil] {
      let harness = try CohorlyHarness(token: token)
      harness.cohorly.track("a")
      harness.cohorly.people.set(["name": "Ada"])
      harness.cohorly.identify("u")
      await harness.cohorly.reloadFeatureFlags()
      await harness.cohorly.flush()
      let expected = token.map { JSONValue.string($0) }
      #expect(try harness.properties.map { $0["token"] } == [expected])
      #expect(try harness.server.records("/engage").map { $0["token"] } == [expected])
      #expect(try harness.server.aliases.map { $0["token"] } == [expected])
      #expect(try harness.server.evaluations.allSatisfy { $0["token"] == expected })
      #expect(harness.server.requests.allSatisfy { $0.fields["x-cohorly-token"] == token })
      #expect(harness.server.requests.allSatisfy { $0.fields["content-type"] == "application/json" })
    }
  }

  @Test func row12_row75_sendsNothingWhenDisabled() async throws {
    let harness = try CohorlyHarness(token: "tok", isDisabled: true)
    harness.cohorly.track("a")
    harness.cohorly.people.deleteUser()
    harness.cohorly.identify("u1")
    await harness.cohorly.reloadFeatureFlags()
    await harness.cohorly.flush()
    await harness.cohorly.shutdown()
    #expect(harness.cohorly.currentDistinctId == "u1")
    #expect(harness.server.requests.isEmpty)
    #expect(harness.storage.queued.isEmpty)
    #expect(harness.cohorly.status.delivery == .stopped)
  }

  @Test func row13_row17_forgetsEverythingAtAReset() async throws {
    let harness = try CohorlyHarness()
    let first = harness.cohorly.currentDistinctId
    harness.cohorly.register(["app_version": "1"])
    harness.cohorly.identify("u1")
    await harness.cohorly.flush()
    harness.cohorly.track("lost")
    harness.cohorly.people.set(["lost": true])
    #expect(harness.storage.queued.count == 2)
    harness.cohorly.reset()
    #expect(harness.storage.queued.isEmpty)
    #expect(harness.cohorly.status.waiting == 0)
    let second = harness.cohorly.currentDistinctId
    #expect(second != first && second != "u1")
    #expect(UUIDText.isLowercaseUUID(second))
    harness.cohorly.track("a")
    await harness.cohorly.flush()
    let event = try #require(try harness.server.events.last)
    #expect(event["event"] == "a")
    let properties = try #require(event["properties"])
    #expect(properties["distinct_id"]?.string == second)
    #expect(properties["$device_id"]?.string == second)
    #expect(properties["$user_id"] == nil)
    #expect(properties["app_version"] == nil)
    #expect(try harness.server.records("/engage").isEmpty)
    #expect(harness.storage.texts["cohorly-super-properties"] == nil)
  }

  /// What the delivery has read and failed with must not come back either.
  @Test func row13_sendsNothingAgainThatAResetTookBack() async throws {
    let harness = try CohorlyHarness()
    harness.server.script { _ in CohorlyServer.response(500) }
    harness.cohorly.track("old")
    await harness.cohorly.flush()
    harness.cohorly.reset()
    harness.server.script { _ in nil }
    harness.cohorly.track("new")
    await harness.cohorly.flush()
    #expect(try harness.server.events.map { $0["event"] } == ["old", "new"])
  }

  @Test func row14_isTheSameAfterARestart() async throws {
    let first = try CohorlyHarness()
    first.cohorly.register(["app_version": "1"])
    let second = try CohorlyHarness(server: first.server, storage: first.storage)
    #expect(second.cohorly.currentDistinctId == first.cohorly.currentDistinctId)
    second.cohorly.identify("u")
    let third = try CohorlyHarness(server: first.server, storage: first.storage)
    #expect(third.cohorly.currentDistinctId == "u")
    third.cohorly.track("a")
    await third.cohorly.flush()
    let properties = try #require(try third.properties.last)
    #expect(properties["$device_id"]?.string == first.cohorly.currentDistinctId)
    #expect(properties["app_version"] == "1")
  }

  @Test func row15_row16_row18_tellsDeviceAndUser() async throws {
    let harness = try CohorlyHarness()
    let device = JSONValue.string(harness.cohorly.currentDistinctId)
    harness.cohorly.track("a")
    harness.cohorly.identify("u")
    harness.cohorly.track("b")
    harness.cohorly.track("c", properties: ["$device_id": "own", "$user_id": "mine"])
    await harness.cohorly.flush()
    let properties = try harness.properties
    #expect(properties.map { $0["$device_id"] } == [device, device, "own"])
    #expect(properties.map { $0["$user_id"] } == [nil, "u", "mine"])
    #expect(properties.map { $0["distinct_id"] } == [device, "u", "u"])
  }

  @Test func row19_takesALoneIdForThatOfSomebodyUnknown() async throws {
    let storage = MemoryStorage(["cohorly-identity": #"{"distinct":"old-id"}"#])
    let harness = try CohorlyHarness(storage: storage)
    harness.cohorly.track("a")
    await harness.cohorly.flush()
    let properties = try #require(try harness.properties.first)
    #expect(properties["distinct_id"] == "old-id" && properties["$device_id"] == "old-id")
    #expect(properties["$user_id"] == nil)
  }

  @Test func beginsAnewFromDamagedTexts() throws {
    let storage = MemoryStorage([
      "cohorly-identity": "{", "cohorly-super-properties": "[", "cohorly-flags": "?", "cohorly-queue": "x",
    ])
    let harness = try CohorlyHarness(storage: storage)
    #expect(UUIDText.isLowercaseUUID(harness.cohorly.currentDistinctId))
    #expect(storage.texts["cohorly-identity"]?.contains(harness.cohorly.currentDistinctId) == true)
    #expect(storage.texts["cohorly-flags"] == nil)
  }

  /// A disk that fails for a moment must not make a user a stranger.
  @Test func writesNothingOverAnIdentityThatItCouldNotRead() throws {
    let storage = MemoryStorage(["cohorly-identity": #"{"distinct":"u","device":"d","anonymous":false}"#])
    storage.fail(StoreError(.inputOutput, "the disk is away"))
    let harness = try CohorlyHarness(storage: storage)
    #expect(UUIDText.isLowercaseUUID(harness.cohorly.currentDistinctId))
    #expect(harness.cohorly.status.storageError != nil)
    storage.fail(nil)
    harness.cohorly.track("a")
    #expect(storage.texts["cohorly-identity"] == #"{"distinct":"u","device":"d","anonymous":false}"#)
    #expect(try CohorlyHarness(storage: storage).cohorly.currentDistinctId == "u")
  }

  @Test func dropsWhatIsNoJSONOrTooLarge() async throws {
    let harness = try CohorlyHarness()
    harness.cohorly.track("nan", properties: ["x": Double.nan])
    harness.cohorly.track("inside", properties: ["x": [1.5, .infinity]])
    harness.cohorly.track("")
    harness.cohorly.track("large", properties: ["x": String(repeating: "x", count: 1_000_000)])
    harness.cohorly.track("good", properties: ["x": [1, 2], "at": Date(timeIntervalSince1970: 0), "n": 1.5])
    await harness.cohorly.flush()
    #expect(try harness.server.events.map { $0["event"] } == ["good"])
    let properties = try #require(try harness.properties.first)
    #expect(properties["x"] == [1, 2] && properties["at"] == "1970-01-01T00:00:00Z" && properties["n"] == 1.5)
    #expect(harness.cohorly.status.dropped == 4)
    #expect(harness.log.lines.count == 4)
  }
}
