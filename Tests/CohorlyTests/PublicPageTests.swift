import Cohorly
import Effects
import Foundation
import TestKit
import Testing

/// What the public page of Cohorly's Swift client shows compiles as it stands there, and works. No access to internals.
@Suite(.serialized) struct PublicPageTests {
  @Test func doesWhatThePageShows() async throws {
    let server = try CohorlyServer()
    let storage = MemoryStorage()
    let cohorly = Cohorly.initialize(apiHost: server.url, token: "YOUR_PROJECT_TOKEN", storage: storage)

    cohorly.register(["app_version": "1.2.0"])
    cohorly.track("Screen Viewed", properties: ["screen": "Home"])
    cohorly.identify("user_123")
    cohorly.people.set(["plan": "pro"])

    // Manually flush (also happens automatically every 5s or every 20 events).
    await cohorly.flush()

    #expect(Cohorly.shared === cohorly)
    let event = try #require(try server.events.first)
    #expect(event["event"] == "Screen Viewed")
    #expect(event["properties"]?["screen"] == "Home" && event["properties"]?["app_version"] == "1.2.0")
    #expect(try server.aliases.count == 1)
    #expect(try server.records("/engage").map { $0["$set"] } == [["plan": "pro"]])

    await cohorly.reloadFeatureFlags()
    let variant = cohorly.getFeatureFlag("banner", fallback: "control")
    let details = cohorly.getFeatureFlagDetails("banner")
    #expect(variant == "blue")
    #expect(details.source == .network && details.enabled && details.persistedAt == nil && details.ttlMs == nil)
    #expect(cohorly.isFeatureEnabled("unknown", fallback: true))
    #expect(Cohorly.defaultFlagCacheTTL == 86_400)
    #expect(Cohorly.flagCacheMaxStale == 7 * 86_400)
    #expect(cohorly.currentDistinctId == "user_123")
  }

  @Test func hasEveryOperationOnProfiles() async throws {
    let server = try CohorlyServer()
    let cohorly = Cohorly.initialize(
      apiHost: server.url, transport: CohorlyURLSession(), storage: MemoryStorage(), flushInterval: 60, flushAt: 100,
      loadFeatureFlags: false, flagPersistence: .networkFirst, flagCacheTTL: 60)
    cohorly.identify("user-1")
    cohorly.people.set(["name": "Ada"])
    cohorly.people.setOnce(["first": true])
    cohorly.people.increment(["logins": 1, "credits": -5])
    cohorly.people.increment("visits")
    cohorly.people.increment("share", by: 0.5)
    cohorly.people.unset(["a", "b"])
    cohorly.people.unset("plan")
    cohorly.people.deleteUser()
    cohorly.people.set([:])
    await cohorly.flush()
    let requests = server.requests("/engage")
    #expect(requests.count == 1)
    let records = try server.records("/engage")
    #expect(records.allSatisfy { $0["distinct_id"] == "user-1" })
    let verbs = ["$set", "$set_once", "$add", "$add", "$add", "$unset", "$unset", "$delete"]
    let values: [JSONValue] = [
      ["name": "Ada"], ["first": true], ["credits": -5, "logins": 1], ["visits": 1], ["share": 0.5], ["a", "b"],
      ["plan"], true,
    ]
    #expect(zip(records, verbs).map { $0[$1] } == values)
    #expect(records.count == verbs.count)
  }

  @Test func replacesTheSharedClient() async throws {
    let server = try CohorlyServer()
    let storage = MemoryStorage()
    let first = Cohorly.initialize(apiHost: server.url, storage: storage, flushInterval: 60, loadFeatureFlags: false)
    first.track("waits")
    let second = Cohorly.initialize(apiHost: server.url, storage: storage, flushInterval: 60, loadFeatureFlags: false)
    first.track("too late")
    first.identify("nobody")
    #expect(second.currentDistinctId == first.currentDistinctId)
    #expect(first.status.delivery == .stopped)
    await second.flush()
    await first.flush()
    #expect(try server.events.map { $0["event"] } == ["waits"])
  }

  @Test func sendsByItself() async throws {
    let server = try CohorlyServer()
    let cohorly = Cohorly.initialize(
      apiHost: server.url, storage: MemoryStorage(), flushInterval: 60, flushAt: 2, loadFeatureFlags: false)
    cohorly.track("a")
    cohorly.track("b")
    #expect(try await eventually { try server.events.count == 2 })
    #expect(server.requests.count == 1)
    let soon = Cohorly.initialize(
      apiHost: server.url, storage: MemoryStorage(), flushInterval: 0.05, loadFeatureFlags: false)
    soon.track("c")
    #expect(try await eventually { try server.events.count == 3 })
  }

  @Test func row50_givesALastChanceAtTheEnd() async throws {
    let server = try CohorlyServer()
    for status in [200, 500] {
      server.script { _ in CohorlyServer.response(status) }
      let storage = MemoryStorage()
      let cohorly = Cohorly.initialize(
        apiHost: server.url, storage: storage, flushInterval: 60, loadFeatureFlags: false)
      cohorly.track("a")
      await cohorly.shutdown(timeout: 5)
      #expect(cohorly.status.delivery == .stopped)
      #expect(storage.queued.count == (status == 200 ? 0 : 1))
    }
    #expect(server.requests.count == 2)
  }
}
