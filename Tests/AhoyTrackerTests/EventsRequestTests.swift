import AhoyTracker
import Effects
import Testing

@Suite struct EventsRequestTests {
  static let tokens = VisitTokens(visit: "98C44594-050F-4DE7-80AC-5BB8B1A2E4E9", visitor: VisitVectors.visitor)

  static func vector(userID: String?) -> PreparedEvent {
    PreparedEvent(
      id: nil, name: "test", propertiesJSON: Array(#"{"123":456}"#.utf8), time: PreparedEvent.time(wholeSecondsOf: 0),
      userID: userID)
  }

  @Test(arguments: [(nil, ""), ("12345", #","user_id":"12345""#)] as [(String?, String)])
  func writesTheVectorsOfTheContract(_ userID: String?, _ member: String) {
    let request = EventsRequest(tokens: Self.tokens, events: [Self.vector(userID: userID)])
    #expect(
      VisitVectors.text(request.body)
        == #"{"events":[{"name":"test","properties":{"123":456},"time":"1970-01-01T00:00:00Z""# + member
        + #"}],"visit_token":"98C44594-050F-4DE7-80AC-5BB8B1A2E4E9","visitor_token":"EB4DCB73-2B32-52CD-A2CF-AD7948674B22"}"#
    )
  }

  @Test func carriesWhatAServerStoresOfAVisitAtTheRoot() throws {
    let fields = VisitFields.merged(
      platform: "Linux", appVersion: "1.0", osVersion: "12",
      parameters: [
        JSONMember("utm_source", "egress"), JSONMember("landing_page", "http://x/"),
        JSONMember("referrer", "http://y/"),
        JSONMember("name", "never"), JSONMember("source", 3), JSONMember("started_at", "never"),
      ])
    let request = EventsRequest(tokens: Self.tokens, events: [Self.vector(userID: nil)], fields: fields)
    let value = try JSONReader().value(request.body)
    #expect(
      value.members?.map(\.name) == [
        "app_version", "events", "landing_page", "os_version", "platform", "referrer", "utm_source", "visit_token",
        "visitor_token",
      ])
    #expect(value["platform"] == "Linux")
    #expect(value["utm_source"] == "egress")
  }

  @Test func cutsTwentyFiveEventsIntoThreeRequests() {
    var rest = Array(repeating: Self.vector(userID: nil), count: 25)[...]
    var counts: [Int] = []
    while !rest.isEmpty {
      let fit = EventsRequest.fit(rest, tokens: Self.tokens, fields: VisitVectors.fields)
      #expect(fit.hasFields)
      counts.append(fit.count)
      rest = rest.dropFirst(max(1, fit.count))
    }
    #expect(counts == [10, 10, 5])
  }

  /// Two events that fill a request to the byte, and one byte more.
  @Test(arguments: [[], VisitVectors.fields])
  func fills8192BytesAndNoMore(_ fields: [JSONMember]) {
    let frame = EventsRequest(tokens: Self.tokens, events: [], fields: fields).body.count
    let first = VisitVectors.event(bytes: 4000)
    let exact = [first, VisitVectors.event(bytes: 8192 - frame - 4000 - 1)]
    #expect(EventsRequest(tokens: Self.tokens, events: exact, fields: fields).body.count == 8192)
    #expect(EventsRequest.fit(exact, tokens: Self.tokens, fields: fields).count == 2)
    let over = [first, VisitVectors.event(bytes: 8193 - frame - 4000 - 1)]
    #expect(EventsRequest(tokens: Self.tokens, events: over, fields: fields).body.count == 8193)
    #expect(EventsRequest.fit(over, tokens: Self.tokens, fields: fields).count == 1)
  }

  @Test func leavesOutTheFieldsRatherThanAnEvent() {
    let frame = EventsRequest(tokens: Self.tokens, events: []).body.count
    let largest = VisitVectors.event(bytes: 8192 - frame)
    let fit = EventsRequest.fit([largest, largest], tokens: Self.tokens, fields: VisitVectors.fields)
    #expect(fit.count == 1)
    #expect(!fit.hasFields)
    #expect(EventsRequest(tokens: Self.tokens, events: [largest]).body.count == 8192)
  }

  @Test(arguments: [[], VisitVectors.fields])
  func takesNoEventThatIsTooLargeAlone(_ fields: [JSONMember]) {
    let frame = EventsRequest(tokens: Self.tokens, events: []).body.count
    let oversize = VisitVectors.event(bytes: 8193 - frame)
    let small = VisitVectors.event(bytes: 100)
    #expect(EventsRequest.fit([oversize, small], tokens: Self.tokens, fields: fields).count == 0)
    #expect(EventsRequest.fit([small, oversize, small], tokens: Self.tokens, fields: fields).count == 1)
  }

  @Test func fitsNothingIntoNothing() {
    #expect(EventsRequest.fit([], tokens: Self.tokens).count == 0)
    let limits = EventLimits(maximumEvents: 0)
    #expect(EventsRequest.fit([Self.vector(userID: nil)], tokens: Self.tokens, limits: limits).count == 0)
    #expect(
      EventsRequest.fit([Self.vector(userID: nil)], tokens: Self.tokens, limits: EventLimits(maximumEvents: -1)).count
        == 0)
  }

  /// What `fit` promises is what `body` makes, whatever the sizes.
  @Test func agreesWithTheBodyAtEverySize() {
    for limit in stride(from: 200, through: 1400, by: 7) {
      let events = (0..<12).map { VisitVectors.event(bytes: 70 + $0 * 13) }
      let limits = EventLimits(maximumEvents: 10, maximumBytes: limit)
      let fit = EventsRequest.fit(events, tokens: Self.tokens, limits: limits)
      let taken = EventsRequest(tokens: Self.tokens, events: Array(events.prefix(fit.count)))
      if fit.count > 0 { #expect(taken.body.count <= limit) }
      guard fit.count < 10 else { continue }
      let more = EventsRequest(tokens: Self.tokens, events: Array(events.prefix(fit.count + 1)))
      #expect(more.body.count > limit)
    }
  }
}
