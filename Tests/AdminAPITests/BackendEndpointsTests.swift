import AdminAPI
import Effects
import Testing

@Suite struct BackendEndpointsTests {
  private let sample = SampleContext()

  private func post(_ target: String, _ body: String?, _ sample: SampleContext? = nil) -> AdminResponse {
    (sample ?? self.sample).router().answer(.local("POST", target, body: body))
  }

  static let operations: [(String, String, String?)] = [
    ("POST", "/visit", nil), ("POST", "/track", #"{"name": "x"}"#), ("POST", "/attach", #"{"userId": "1"}"#),
    ("POST", "/detach", nil), ("POST", "/flush", nil), ("GET", "/deadletters", nil),
    ("POST", "/deadletters/requeue", #"{"all": true}"#),
  ]

  @Test(arguments: operations)
  func withoutTheSectionAllAreRefused(method: String, path: String, body: String?) throws {
    var context = sample.context
    context.backends = { .notConfigured }
    let router = AdminRouter(policy: .tcp(address: "127.0.0.1", port: 8081, token: nil), context: context)
    let answer = router.answer(.local(method, path, body: body))
    #expect(answer.status == 409)
    let isAhoys = ["/visit", "/attach", "/detach"].contains(path)
    #expect(answer.errorCode == (isAhoys ? "ahoyNotConfigured" : "noBackendConfigured"))
    #expect(try answer.json()["error"]?["hint"]?.string?.contains("\"ahoy\"") == true)
  }

  @Test func aVisitIsRegisteredWithItsParameters() throws {
    let body = #"{"params": {"utm_source": "news", "landing_page": "https://a.example/?x", "level": 3, "test": true}}"#
    let masked = post("/visit", body)
    #expect(masked.status == 200)
    #expect(try masked.json()["visit"] == "1f0c9f5e…")
    #expect(try masked.json()["registered"] == true)
    let full = try post("/visit?ids=full", body).json()
    #expect(full["visit"]?.string == SampleContext.visitorID)
    #expect(full["expiresAt"] == "2026-11-30T11:05:23.120Z")
    let params: [JSONMember] = [
      .init("utm_source", "news"), .init("landing_page", "https://a.example/?x"), .init("level", 3),
      .init("test", true),
    ]
    #expect(sample.orders.visits == [params, params])
    #expect(post("/visit", nil).status == 200)
    #expect(post("/visit", "{}").status == 200)
    #expect(sample.orders.visits.last == [])
  }

  @Test func anEventIsQueued() throws {
    let answer = post("/track", #"{"name": "Signed up", "properties": {"plan": "pro", "seats": [1, 2]}}"#)
    #expect(answer.status == 202)
    #expect(try answer.json()["id"]?.string?.count == 36)
    #expect(sample.orders.events == ["Signed up"])
  }

  @Test func usersAreAttachedAndDetached() throws {
    let attached = post("/attach", #"{"userId": "user-4711"}"#)
    #expect(try attached.json() == ["userID": "user…"])
    #expect(try post("/attach?ids=full", #"{"userId": 4711}"#).json() == ["userID": "4711"])
    #expect(try post("/detach", nil).json() == ["userID": nil])
    #expect(sample.orders.users == ["user-4711", "4711", nil])
    for body in ["{}", #"{"userId": null}"#, #"{"userId": ""}"#, #"{"userID": "1"}"#] {
      #expect(post("/attach", body).status == 400)
    }
    #expect(post("/detach", #"{"userId": "1"}"#).errorCode == "unknownMember")
    #expect(sample.orders.users.count == 3)
  }

  @Test func aFlushTellsWhatCameOfIt() throws {
    let answer = try post("/flush", "{}").json()
    #expect(
      answer["backends"] == [
        [
          "backend": "ahoy", "sent": 3, "dead": 1, "remaining": 2, "complete": false, "obstacle": "status 503",
        ]
      ])
    #expect(sample.orders.flushes == 1)
  }

  @Test func deadLettersAreShownByPages() throws {
    let answer = try sample.router().answer(.local("GET", "/deadletters?backend=ahoy&after=5&limit=7")).json()
    #expect(answer["total"] == 1)
    #expect(answer["deadLetters"]?.array?.first?["reason"] == "too large")
    #expect(answer["deadLetters"]?.array?.first?["payload"] == #"{"event":"x"}"#)
    #expect(sample.router().answer(.local("GET", "/deadletters")).status == 200)
    #expect(sample.orders.queries == [DeadLetterQuery(backend: "ahoy", after: 5, limit: 7), DeadLetterQuery()])
    for query in ["limit=0", "limit=1001", "limit=x", "after=-1", "after=99999999999999999999"] {
      let refused = sample.router().answer(.local("GET", "/deadletters?\(query)"))
      #expect(refused.errorCode == "invalidParameter", "\(query)")
    }
  }

  @Test func deadLettersAreQueuedAgain() throws {
    #expect(try post("/deadletters/requeue", #"{"all": true}"#).json() == ["requeued": 2])
    #expect(try post("/deadletters/requeue", #"{"ids": ["a", "b"], "backend": "ahoy"}"#).json() == ["requeued": 2])
    #expect(sample.orders.requeued == [nil, ["a", "b"]])
    for body in [
      "{}", #"{"all": false}"#, #"{"ids": []}"#, #"{"ids": [1]}"#, #"{"ids": ["a"], "all": true}"#, #"{"ids": [""]}"#,
      #"{"all": true, "backend": ""}"#, #"{"all": true, "x": 1}"#,
    ] {
      #expect(post("/deadletters/requeue", body).status == 400, "\(body)")
    }
    #expect(sample.orders.requeued.count == 2)
  }

  @Test func theStatusMasksTokensAndUsers() throws {
    let masked = try sample.router().answer(.local("GET", "/status")).json()
    #expect(masked["ahoy"]?["visit"] == "5f0c9f5e…")
    #expect(masked["ahoy"]?["visitor"] == "1f0c9f5e…")
    #expect(masked["ahoy"]?["userID"] == "user-471…")
    #expect(masked["pipeline"]?.array?.first?["depth"] == 12)
    let full = try sample.router().answer(.local("GET", "/status?ids=full")).json()
    #expect(full["ahoy"]?["visit"] == "5f0c9f5e-6a3b-4c1d-8e2f-0123456789ab")
    #expect(full["ahoy"]?["userID"] == "user-4711-of-north")
    #expect(StatusReport().json(ids: .masked)["ahoy"] == JSONValue.null)
    #expect(StatusReport().json(ids: .masked)["pipeline"] == [])
  }

  @Test func theVisitCanBeReset() throws {
    #expect(post("/reset", #"{"what": ["visit"]}"#).status == 200)
    #expect(sample.orders.resets == [[.visit]])
  }
}
