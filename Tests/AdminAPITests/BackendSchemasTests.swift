import AdminAPI
import Effects
import Testing

@Suite struct BackendSchemasTests {
  @Test func theRequestSchemasSayTheSameAsTheReaders() throws {
    let schemas = try #require(OpenAPIDocument.json(version: "1")["components"]?["schemas"])
    func fits(_ name: String, _ value: JSONValue) throws -> Bool {
      SchemaCheck.problems(of: value, against: try #require(schemas[name]), at: "").isEmpty
    }
    #expect(try fits("VisitRequest", ["params": ["utm_source": "x", "level": 3]]))
    #expect(try !fits("VisitRequest", ["params": ["list": []]]))
    #expect(try fits("TrackRequest", ["name": "x", "properties": ["a": [1]]]))
    #expect(try !fits("TrackRequest", ["properties": [:]]))
    #expect(try fits("AttachRequest", ["userId": 42]))
    #expect(try !fits("AttachRequest", ["userId": nil]))
    #expect(try fits("RequeueRequest", ["ids": ["a"]]))
    #expect(try fits("RequeueRequest", ["all": true, "backend": "ahoy"]))
    #expect(try !fits("RequeueRequest", ["all": false]))
  }

  @Test func theReservedNamesOfTheReaderAreThoseOfTheSchema() throws {
    let schema = OpenAPIDocument.json(version: "1")["components"]?["schemas"]?["VisitRequest"]?["properties"]?["params"]
    let names = try #require(schema?["propertyNames"]?["not"]?["enum"]?.array).compactMap(\.string)
    #expect(names.count >= 8)
    for name in names {
      let body = #"{"params": {"\#(name)": "x"}}"#
      #expect(SampleContext().router().answer(.local("POST", "/visit", body: body)).status == 400, "\(name)")
    }
  }
}
