import AdminAPI
import Effects
import Testing

@Suite struct CohorlySchemasTests {
  @Test func theRequestSchemasSayTheSameAsTheReaders() throws {
    let schemas = try #require(OpenAPIDocument.json(version: "1")["components"]?["schemas"])
    let router = SampleContext().router()
    let bodies: [(name: String, path: String, body: JSONValue)] = [
      ("IdentifyRequest", "/identify", ["distinctId": "x"]), ("IdentifyRequest", "/identify", ["distinctId": 7]),
      ("IdentifyRequest", "/identify", [:]), ("IdentifyRequest", "/identify", ["distinctId": nil]),
      ("IdentifyRequest", "/identify", ["distinctId": "x", "y": 1]),
      ("PeopleRequest", "/people", ["set": ["a": [1, nil]]]), ("PeopleRequest", "/people", ["increment": ["a": -1.5]]),
      ("PeopleRequest", "/people", ["increment": ["a": "1"]]), ("PeopleRequest", "/people", ["unset": ["a"]]),
      ("PeopleRequest", "/people", ["unset": [1]]), ("PeopleRequest", "/people", ["delete": true]),
      ("PeopleRequest", "/people", ["delete": false]), ("PeopleRequest", "/people", ["set": 1]),
      ("PeopleRequest", "/people", ["delete": true, "set": ["a": 1]]), ("PeopleRequest", "/people", ["add": [:]]),
      ("ResetRequest", "/reset", ["what": ["cohorly"], "flush": true]),
      ("ResetRequest", "/reset", ["what": ["cohorly"], "flush": 1]), ("EmptyRequest", "/flags/reload", [:]),
      ("EmptyRequest", "/flags/reload", ["a": 1]),
    ]
    for (name, path, body) in bodies {
      let fits = SchemaCheck.problems(of: body, against: try #require(schemas[name]), at: "").isEmpty
      let isTaken = router.answer(.local("POST", path, body: JSONWriter.text(body))).status < 300
      #expect(fits == isTaken, "\(path) \(JSONWriter.text(body))")
    }
  }

  @Test(arguments: [
    ("/identify", #"{"distinctId": "x"}"#, "Identity"), ("/identify?ids=full", #"{"distinctId": "x"}"#, "Identity"),
    ("/people", #"{"set": {"a": 1}}"#, "PeopleAnswer"), ("/reset", #"{"what": ["cohorly", "visit"]}"#, "ResetAnswer"),
  ])
  func answersHaveTheShapeDescribed(target: String, body: String, name: String) throws {
    let answer = try SampleContext().router().answer(.local("POST", target, body: body)).json()
    let schema = try #require(OpenAPIDocument.json(version: "1")["components"]?["schemas"]?[name])
    #expect(SchemaCheck.problems(of: answer, against: schema, at: "").isEmpty)
  }
}
