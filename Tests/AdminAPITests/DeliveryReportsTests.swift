import AdminAPI
import Effects
import Testing

@Suite struct DeliveryReportsTests {
  @Test func everyMemberIsAlwaysThere() {
    let outcome = FlushOutcome(backend: "ahoy", sent: 0, dead: 0, remaining: 0, isComplete: true)
    #expect(
      outcome.json == [
        "backend": "ahoy", "sent": 0, "dead": 0, "remaining": 0, "complete": true, "obstacle": nil,
      ])
    #expect(DeadLetterPage(letters: [], total: .max).json == ["total": .integer(.max), "deadLetters": []])
  }

  @Test func aLetterHoldsTheWholeEvent() {
    let letter = DeadLetterPage.Letter(
      number: 9, backend: "ahoy", id: "e", time: 0, diedAt: 1500, reason: "status 400", isQueued: true,
      payload: "{\"event\":\"\u{1}\"}")
    #expect(
      DeadLetterPage(letters: [letter], total: 3).json == [
        "total": 3,
        "deadLetters": [
          [
            "number": 9, "backend": "ahoy", "id": "e", "time": "1970-01-01T00:00:00.000Z",
            "diedAt": "1970-01-01T00:00:01.500Z", "reason": "status 400", "queued": true,
            "payload": "{\"event\":\"\u{1}\"}",
          ]
        ],
      ])
  }

  @Test func allAreAskedForUnlessSomeAre() {
    let query = DeadLetterQuery()
    #expect(query.backend == nil)
    #expect(query.after == 0)
    #expect(query.limit == 100)
  }
}
