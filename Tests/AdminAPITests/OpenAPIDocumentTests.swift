import AdminAPI
import Effects
import Testing

@Suite struct OpenAPIDocumentTests {
  private let document = OpenAPIDocument.json(version: "0.1.0")

  private var operations: [(path: String, method: String, operation: JSONValue)] {
    (document["paths"]?.members ?? []).flatMap { path in
      (path.value.members ?? []).map { (path.name, $0.name, $0.value) }
    }
  }

  @Test func describesEveryRouteAndNothingElse() {
    let described = Set(operations.filter { $0.method != "head" }.map { "\($0.method.uppercased()) \($0.path)" })
    #expect(described == Set(AdminEndpoint.all.map { "\($0.method.rawValue) \($0.path)" }))
    let heads = Set(operations.filter { $0.method == "head" }.map(\.path))
    #expect(heads == Set(AdminEndpoint.all.filter { $0.method == .get }.map(\.path)))
  }

  @Test func theRouterKnowsEveryDescribedOperation() {
    let router = SampleContext().router()
    for (path, method, _) in operations {
      let target = path == "/rules/test" ? path + "?url=x" : path
      let body = method == "post" ? Self.bodies[path] ?? "{}" : nil
      let status = router.answer(.local(method.uppercased(), target, body: body)).status
      #expect(status == (["/track", "/people"].contains(path) ? 202 : 200), "\(method) \(path)")
    }
  }

  /// A body for each operation that needs one.
  private static let bodies = [
    "/reset": #"{"what":["visitorID"]}"#, "/track": #"{"name": "x"}"#, "/attach": #"{"userId": "42"}"#,
    "/deadletters/requeue": #"{"all": true}"#, "/identify": #"{"distinctId": "x"}"#,
    "/people": #"{"delete": true}"#,
  ]

  @Test func namesEveryOperationOnce() {
    let names = operations.compactMap { $0.operation["operationId"]?.string }
    #expect(names.count == operations.count)
    #expect(Set(names).count == names.count)
  }

  @Test func everyReferenceLeadsToASchema() {
    let schemas = Set((document["components"]?["schemas"]?.members ?? []).map(\.name))
    let references = Self.references(in: document)
    #expect(!references.isEmpty)
    for reference in references {
      #expect(schemas.contains(String(reference.dropFirst("#/components/schemas/".utf8.count))), "\(reference)")
    }
    #expect(Set(references.map { String($0.dropFirst("#/components/schemas/".utf8.count)) }) == schemas)
  }

  private static func references(in value: JSONValue) -> [String] {
    if let reference = value["$ref"]?.string { return [reference] }
    return (value.members ?? []).flatMap { references(in: $0.value) } + (value.array ?? []).flatMap(references)
  }
}
