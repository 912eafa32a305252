import Ahoy
import Effects
import Foundation
import TestKit
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the public page of ahoy-ios 0.6 shows compiles as it stands there, and works. No access to internals.
@Suite struct PublicPageTests {
  struct Attribution: Sendable { var utmSource: String? }

  static func client(
    _ server: AhoyServer, automaticVisitRenewal: Bool = true, handler: Configuration.URLRequestHandler? = nil
  ) throws -> Ahoy {
    let currentAttribution = Attribution(utmSource: "spring")
    return .init(
      configuration: .init(
        environment: .init(platform: "Linux", appVersion: "1.0.2", osVersion: "12"),
        urlRequestHandler: handler,
        baseUrl: try server.url,
        ahoyPath: "ahoy",
        eventsPath: "events",
        visitsPath: "visits",
        visitDuration: 4 * 60 * 60,
        automaticVisitRenewal: automaticVisitRenewal,
        visitParams: { ["utm_source": currentAttribution.utmSource] }
      ),
      requestInterceptors: [],
      storage: FixedTokens(visit: "one", visitor: "me")
    )
  }

  @Test func tracksVisitsAndEvents() async throws {
    let server = try AhoyServer()
    let ahoy = try Self.client(server)
    let visit = try await ahoy.trackVisit(additionalParams: ["utm_source": "some-place"])
    let pendingEvents: [Event] = [
      Event(name: "ride_details.update_driver_rating", properties: ["driver_id": 4]),
      Event(name: "ride_details.increase_tip", properties: ["driver_id": 4]),
    ]
    try await ahoy.track(events: pendingEvents)
    ahoy.track("ride_details.update_driver_rating", properties: ["driver_id": 4])
    ahoy.track("ride_details.update_driver_rating")
    await ahoy.attach(userId: "12345")
    await ahoy.flush()
    let current = await ahoy.currentVisit
    #expect(current?.visitToken == visit.visitToken)
    var request = URLRequest(url: try server.url)
    for (field, value) in await ahoy.headers {
      request.setValue(value, forHTTPHeaderField: field)
    }
    #expect(request.allHTTPHeaderFields == ["Ahoy-Visit": "one", "Ahoy-Visitor": "me"])
    request.allHTTPHeaderFields = await ahoy.headers
    for await observed in ahoy.visits {
      #expect(observed.visitorToken == "me")
      break
    }
    #expect(try server.visits[0].json["utm_source"] == "some-place")
    #expect(try server.events.map { try $0.events.count }.reduce(0, +) == 4)
  }

  @Test func takesAHandlerAndInterceptors() async throws {
    let handler: Configuration.URLRequestHandler = { request in
      try await URLSession.shared.data(for: request)
    }
    let server = try AhoyServer()
    let ahoy = try Self.client(server, automaticVisitRenewal: false, handler: handler)
    let interceptor = RequestInterceptor { request in
      request.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
    }
    await ahoy.setRequestInterceptors([interceptor])
    try await ahoy.ensureCurrentVisit()
    try await ahoy.track(events: [Event(id: "7", name: "a", time: .init())])
    #expect(server.requests.map { $0.fields["authorization"] } == ["Bearer 1", "Bearer 1"])
    #expect(try server.visits[0].json["utm_source"] == "spring")
    #expect(
      server.requests.map { $0.fields["user-agent"] } == Array(repeating: "AhoySwift/1.0 (X11; Linux x86_64)", count: 2)
    )
    let count = await ahoy.requestInterceptors.count
    #expect(count == 1)
  }
}
