import AdminAPI
import Effects
import Testing

/// The schemas describe what is really answered: every member, no other, of the right type.
@Suite struct AdminSchemasTests {
  private let document = OpenAPIDocument.json(version: "0.1.0")

  @Test(arguments: [
    ("GET", "/status", "Status"), ("GET", "/livez", "Health"), ("GET", "/readyz?verbose", "Health"),
    ("POST", "/reset", "ResetAnswer"), ("POST", "/reload", "ReloadAnswer"), ("GET", "/rules/test?url=x", "RuleTest"),
    ("GET", "/rules/test", "Error"), ("GET", "/nothing", "Error"), ("GET", "/reset", "Error"),
    ("GET", "/openapi.json", "OpenAPI"), ("POST", "/visit", "Visit"), ("POST", "/visit?ids=full", "Visit"),
    ("POST", "/detach", "AttachAnswer"), ("POST", "/flush", "FlushAnswer"), ("GET", "/deadletters", "DeadLetters"),
    ("GET", "/flags", "Flags"), ("GET", "/flags?ids=full", "Flags"), ("POST", "/flags/reload", "Flags"),
    ("POST", "/identify", "Error"), ("POST", "/people", "Error"),
    ("POST", "/track", "Error"), ("POST", "/deadletters/requeue", "Error"),
  ])
  func answersHaveTheShapeDescribed(method: String, target: String, name: String) throws {
    let request = AdminRequest.local(
      method, target, body: method == "POST" ? (target == "/reset" ? #"{"what":["visitorID"]}"# : "{}") : nil)
    let answer = try SampleContext().router().answer(request).json()
    let schema = try #require(document["components"]?["schemas"]?[name])
    #expect(SchemaCheck.problems(of: answer, against: schema, at: "").isEmpty)
  }

  @Test func answersOfAnEmptyProcessHaveTheShapeDescribed() throws {
    let schema = try #require(document["components"]?["schemas"]?["Status"])
    #expect(SchemaCheck.problems(of: StatusReport().json(ids: .masked), against: schema, at: "").isEmpty)
  }

  @Test func errorsWithDetailsHaveTheShapeDescribed() throws {
    let schema = try #require(document["components"]?["schemas"]?["Error"])
    let failing = SampleContext(resetOutcome: .failed(reason: "r"), reloadOutcome: .refused(issues: ["i"])).router()
    for (target, body) in [("/reset", #"{"what":["visitorID"]}"#), ("/reload", "")] {
      let answer = try failing.answer(.local("POST", target, body: body)).json()
      #expect(SchemaCheck.problems(of: answer, against: schema, at: "").isEmpty)
    }
  }

  @Test func describesTheRequestsThatAreAccepted() throws {
    let schemas = try #require(document["components"]?["schemas"])
    let reset = try #require(schemas["ResetRequest"])
    #expect(SchemaCheck.problems(of: ["what": ["visitorID"]], against: reset, at: "").isEmpty)
    #expect(SchemaCheck.problems(of: ["what": ["cohorly"], "flush": true], against: reset, at: "").isEmpty)
    #expect(!SchemaCheck.problems(of: ["what": ["rum"]], against: reset, at: "").isEmpty)
    #expect(!SchemaCheck.problems(of: ["what": ["visitorID"], "x": 1], against: reset, at: "").isEmpty)
    let reload = try #require(schemas["ReloadRequest"])
    #expect(SchemaCheck.problems(of: [:], against: reload, at: "").isEmpty)
    #expect(!SchemaCheck.problems(of: ["force": true], against: reload, at: "").isEmpty)
  }

  @Test func theErrorSchemaListsEveryCode() throws {
    let code = document["components"]?["schemas"]?["Error"]?["properties"]?["error"]?["properties"]?["code"]
    #expect(code?["enum"]?.array?.compactMap(\.string) == AdminError.Code.allCases.map(\.rawValue))
  }
}
