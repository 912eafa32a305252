import AhoyTracker
import Effects
import Testing

@Suite struct AhoyEndpointTests {
  @Test(arguments: [
    ("https://ahoy.com", "test-ahoy", "my-visits", "https://ahoy.com/test-ahoy/my-visits"),
    ("https://ahoy.com/", "/ahoy/", "visits", "https://ahoy.com/ahoy/visits"),
    ("https://ahoy.com/app/", "api//ahoy", "/visits", "https://ahoy.com/app/api/ahoy/visits"),
    ("http://[::1]:3000", "", "visits", "http://[::1]:3000/visits"),
  ])
  func joinsThePaths(_ base: String, _ path: String, _ visits: String, _ url: String) {
    #expect(AhoyEndpoint(baseURL: base, path: path, visits: visits).visitsURL == url)
    #expect(AhoyEndpoint(baseURL: base, path: path, events: visits).eventsURL == url)
  }

  @Test func sendsTheSameTokensInTheFieldsAndInTheBody() throws {
    let endpoint = AhoyEndpoint(
      baseURL: "https://ahoy.com",
      fields: [OutboundField("Authorization", "Bearer x"), OutboundField("ahoy-visit", "forged")])
    let request = endpoint.request(VisitRegistration(tokens: VisitVectors.tokens, fields: []))
    #expect(request.method == "POST")
    #expect(request.url == "https://ahoy.com/ahoy/visits")
    #expect(
      request.fields.map { "\($0.name): \($0.value)" } == [
        "Content-Type: application/json; charset=utf-8", "Accept: application/json",
        "User-Agent: AhoySwift/1.0 (X11; Linux x86_64)", "Ahoy-Visit: \(VisitVectors.visit)",
        "Ahoy-Visitor: \(VisitVectors.visitor)", "Authorization: Bearer x",
      ])
    #expect(try JSONReader().value(request.body)["visit_token"]?.string == VisitVectors.visit)
    let events = endpoint.request(EventsRequest(tokens: VisitVectors.tokens, events: [VisitVectors.event(bytes: 100)]))
    #expect(events.url == "https://ahoy.com/ahoy/events")
    #expect(events.fields == request.fields)
  }

  @Test func knowsWhereNothingMustBeInjected() {
    #expect(AhoyEndpoint(baseURL: "https://a.com/app/").apiPrefixes == ["https://a.com/app/ahoy/"])
    #expect(
      AhoyEndpoint(baseURL: "https://a.com", path: "/").apiPrefixes == ["https://a.com/visits", "https://a.com/events"])
  }
}
