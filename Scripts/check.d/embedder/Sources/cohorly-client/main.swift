// A user of the library Cohorly, written from its documentation:
//
//   cohorly-client API_HOST STATE_DIRECTORY
//
// does what the public page of Cohorly shows, with the token `tok` and the flag `checkout-copy`, whose variant must be `blue`,
// and prints what finds the rows at the server: the ids, before and after `identify`. STATE_DIRECTORY keeps the identity:
// a second run is the user from the start. Ends with 0 when all was taken, else with 1 and the reason.
import Cohorly
import Foundation

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
  print("usage: cohorly-client API_HOST STATE_DIRECTORY")
  exit(64)
}

func fail(_ reason: String) -> Never {
  print("failed: \(reason)")
  exit(1)
}

do {
  let cohorly = Cohorly.initialize(
    apiHost: arguments[1], token: "tok", storage: try CohorlyFileStorage(directory: arguments[2]), flushInterval: 5,
    flushAt: 20, flagPersistence: .persistenceUntilNetworkSuccess, flagCacheTTL: Cohorly.defaultFlagCacheTTL,
    logHandler: { print("log: \($0)") })
  print("before \(cohorly.currentDistinctId)")

  cohorly.register(["app_version": "1.2.0"])
  cohorly.track("Screen Viewed", properties: ["screen": "Home"])
  cohorly.identify("user_123")
  cohorly.people.set(["plan": "pro"])
  cohorly.people.setOnce(["first": "embedder"])
  cohorly.people.increment(["logins": 1, "credits": -5])
  cohorly.unregister("app_version")

  let (updates, update) = AsyncStream.makeStream(of: [String: FeatureFlag].self)
  let stop = cohorly.onFeatureFlags { update.yield($0) }
  await cohorly.reloadFeatureFlags()
  for await flags in updates where !flags.isEmpty { break }
  stop()
  let variant = cohorly.getFeatureFlag("checkout-copy", fallback: "control")
  let details = cohorly.getFeatureFlagDetails("checkout-copy")
  guard variant == "blue", details.source == .network, details.enabled, details.persistedAt == nil, details.ttlMs == nil
  else { fail("the flag reads \(variant), \(details)") }
  let unknown = cohorly.getFeatureFlagDetails("unknown", fallback: "control")
  guard unknown.source == .fallback, unknown.enabled, unknown.payload == nil, !cohorly.isFeatureEnabled("unknown")
  else {
    fail("an unknown flag reads \(unknown)")
  }

  await cohorly.flush()
  guard Cohorly.shared === cohorly, cohorly.status.waiting == 0, cohorly.status.refused == 0 else {
    fail("\(cohorly.status)")
  }
  await cohorly.shutdown()
  print("after \(cohorly.currentDistinctId)")
} catch {
  fail("\(error)")
}
