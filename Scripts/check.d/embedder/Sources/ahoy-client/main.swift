// A user of the library Ahoy, written from its documentation:
//
//   ahoy-client BASE_URL STATE_DIRECTORY [EVENTS]
//
// registers a visit at the Ahoy server of BASE_URL, sends so many events (25) in one call and two more that it forgets,
// and prints what finds the rows in the database: the tokens of the visit, the number of events, the headers.
// STATE_DIRECTORY keeps the tokens: a second run goes on with the visit. Ends with 0 when all was taken, else with 1 and the
// reason.
import Ahoy
import Foundation

let arguments = CommandLine.arguments
guard arguments.count >= 3, let base = URL(string: arguments[1]) else {
  print("usage: ahoy-client BASE_URL STATE_DIRECTORY [EVENTS]")
  exit(64)
}
let count = arguments.count > 3 ? Int(arguments[3]) ?? 25 : 25

do {
  let ahoy = Ahoy(
    configuration: .init(
      environment: .init(platform: "Linux", appVersion: "1.0.2", osVersion: "12"),
      baseUrl: base,
      visitParams: { ["utmMedium": "embedder", "referrer": "https://example.com/from"] },
      undeliveredEventHandler: { event, error in
        print("failed: \(event.name): \(error)")
        exit(1)
      }
    ),
    storage: try PersistedTokenManager(directory: arguments[2])
  )
  let visits = ahoy.visits
  let visit = try await ahoy.trackVisit(additionalParams: ["utm_source": "some-place"])
  await ahoy.attach(userId: "12345")
  try await ahoy.track(
    events: (0..<count).map {
      Event(
        id: "embedder-\(visit.visitToken)-\($0)", name: "embedder.listed",
        properties: ["number": $0, "occurred_at": Date().formatted(.iso8601)])
    })
  ahoy.track("embedder.forgotten", properties: ["driver_id": 4])
  await ahoy.detachUser()
  ahoy.track("embedder.forgotten")
  await ahoy.flush()
  for await observed in visits {
    print("visit \(observed.visitToken)")
    print("visitor \(observed.visitorToken)")
    break
  }
  print("events \(count + 2)")
  for (field, value) in await ahoy.headers.sorted(by: { $0.key < $1.key }) { print("\(field): \(value)") }
} catch {
  print("failed: \(error)")
  exit(1)
}
