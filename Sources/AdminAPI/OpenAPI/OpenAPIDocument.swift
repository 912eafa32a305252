package import Effects

/// The OpenAPI 3.1 description of the admin endpoint, made from the list of its operations.
package enum OpenAPIDocument {
  /// The document for that version of the program.
  package static func json(version: String) -> JSONValue {
    .object([
      JSONMember("openapi", "3.1.0"),
      JSONMember(
        "info",
        .object([
          JSONMember("title", "Footfall admin endpoint"),
          JSONMember("version", .string(version.isEmpty ? "0" : version)),
          JSONMember(
            "description",
            "State and control of one running proxy. GET has no effects. POST takes JSON. Every refusal is an Error."),
          JSONMember(
            "license",
            .object([JSONMember("name", "Apache License 2.0"), JSONMember("identifier", "Apache-2.0")])),
        ])),
      JSONMember("servers", .array([.object([JSONMember("url", "/")])])),
      // Either nothing or the bearer token, as the configuration says.
      JSONMember("security", .array([.object([]), .object([JSONMember("bearer", .array([]))])])),
      JSONMember("paths", paths),
      JSONMember(
        "components",
        .object([
          JSONMember("schemas", .object(AdminSchemas.all.map { JSONMember($0.name, $0.schema) })),
          JSONMember(
            "securitySchemes",
            .object([
              JSONMember("bearer", .object([JSONMember("type", "http"), JSONMember("scheme", "bearer")]))
            ])),
        ])),
    ])
  }

  private static var paths: JSONValue {
    var members: [JSONMember] = []
    for endpoint in AdminEndpoint.all {
      var operations = [JSONMember(endpoint.method.rawValue.lowercased(), operation(endpoint, suffix: ""))]
      if endpoint.method == .get { operations.append(JSONMember("head", operation(endpoint, suffix: "Head"))) }
      if let index = members.firstIndex(where: { $0.name == endpoint.path }) {
        operations.insert(contentsOf: members[index].value.members ?? [], at: 0)
        members[index].value = .object(operations)
      } else {
        members.append(JSONMember(endpoint.path, .object(operations)))
      }
    }
    return .object(members)
  }

  private static func operation(_ endpoint: AdminEndpoint, suffix: String) -> JSONValue {
    let isHead = !suffix.isEmpty
    var members = [
      JSONMember("operationId", .string(endpoint.operationID + suffix)),
      JSONMember("summary", .string(isHead ? "The fields of GET without the body." : endpoint.summary)),
    ]
    if !endpoint.parameters.isEmpty {
      members.append(JSONMember("parameters", .array(endpoint.parameters.map(parameter))))
    }
    if let schema = endpoint.requestSchema {
      members.append(
        JSONMember(
          "requestBody",
          .object([
            JSONMember("required", .bool(!endpoint.isBodyOptional)),
            JSONMember("content", content("application/json", reference(schema))),
          ])))
    }
    members.append(JSONMember("responses", responses(endpoint, isHead: isHead)))
    return .object(members)
  }

  private static func parameter(_ parameter: AdminEndpoint.Parameter) -> JSONValue {
    var schema = [JSONMember("type", "string")]
    if !parameter.values.isEmpty {
      schema.append(JSONMember("enum", .array(parameter.values.map { .string($0) })))
    }
    return .object([
      JSONMember("name", .string(parameter.name)), JSONMember("in", "query"),
      JSONMember("required", .bool(parameter.isRequired)),
      JSONMember("description", .string(parameter.description)), JSONMember("schema", .object(schema)),
    ])
  }

  /// The endpoint's own answers, then the refusals that every operation shares.
  private static func responses(_ endpoint: AdminEndpoint, isHead: Bool) -> JSONValue {
    var answers = endpoint.answers
    let shared: [(Int, String)] =
      [
        (400, "The request is malformed or a parameter is missing or unknown."),
        (401, "The bearer token is missing or wrong."), (403, "The Host, the Origin or the site is not allowed."),
      ]
      + (endpoint.method == .post
        ? [
          (413, "The body is too large."), (415, "The body is not declared as JSON."),
          (500, "The operation failed; the old state stays in force."),
        ] : [])
    for (status, description) in shared where !answers.contains(where: { $0.status == status }) {
      answers.append(.init(status: status, description: description, schema: "Error"))
    }
    return .object(
      answers.sorted { $0.status < $1.status }.map { answer in
        var members = [JSONMember("description", .string(answer.description))]
        if !isHead {
          let body =
            answer.schema.map { content("application/json", reference($0)) }
            ?? content("text/plain", .object([JSONMember("type", "string")]))
          members.append(JSONMember("content", body))
        }
        return JSONMember("\(answer.status)", .object(members))
      })
  }

  private static func content(_ type: String, _ schema: JSONValue) -> JSONValue {
    .object([JSONMember(type, .object([JSONMember("schema", schema)]))])
  }

  private static func reference(_ schema: String) -> JSONValue {
    .object([JSONMember("$ref", .string("#/components/schemas/\(schema)"))])
  }
}
