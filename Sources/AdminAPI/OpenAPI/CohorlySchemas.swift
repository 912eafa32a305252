import Effects

// What the operations of Cohorly take and answer.
extension AdminSchemas {
  static let identifyRequest = object([("distinctId", ["anyOf": [shortText, ["type": "integer"]]])])

  static let identity = object([
    ("distinctID", text), ("deviceID", text), ("anonymous", boolean), ("changed", boolean),
  ])

  /// Changes, or the removal of the profile alone.
  static let peopleRequest: JSONValue = {
    let changes: [(String, JSONValue)] = [
      ("set", properties), ("setOnce", properties), ("increment", properties(of: number)),
      (
        "unset",
        .object([
          JSONMember("type", "array"), JSONMember("items", propertyName), JSONMember("minItems", 1),
          JSONMember("maxItems", .integer(Int64(PeopleRequest.mostNames))),
        ])
      ),
    ]
    let some = object([], optional: changes).members ?? []
    return ["anyOf": [.object(some + [JSONMember("minProperties", 1)]), object([("delete", ["const": true])])]]
  }()

  static let flags = object([
    ("policy", text), ("distinctID", text), ("loaded", boolean), ("evaluatedAt", nullable(time)),
    ("lastError", nullable(text)),
    (
      "flags",
      array(
        object([
          ("key", text), ("value", word), ("enabled", boolean), ("variant", nullable(text)), ("payload", anything),
          ("source", source), ("persistedAt", nullable(time)), ("ttlMs", nullable(count)),
        ]))
    ),
    (
      "gates",
      array(
        object([
          ("rule", text), ("flag", text), ("is", word), ("fallback", word), ("value", word), ("source", source),
          ("applies", boolean),
        ]))
    ),
  ])

  static let cohorly = object([
    ("apiHost", text), ("token", boolean), ("distinctID", text), ("deviceID", text), ("anonymous", boolean),
    (
      "flags",
      object([
        ("policy", text), ("loaded", boolean), ("source", source), ("count", count), ("evaluatedAt", nullable(time)),
        ("evaluations", count), ("failures", count),
      ])
    ),
    ("refusedOperations", count), ("failedAliases", count), ("lastError", nullable(text)),
    ("lastErrorAt", nullable(time)),
  ])

  private static let anything: JSONValue = .object([])
  private static let word: JSONValue = ["type": ["boolean", "string"]]
  private static let source = oneOf(FlagsReport.Source.allCases.map(\.rawValue))
  private static let propertyName: JSONValue = [
    "type": "string", "minLength": 1, "maxLength": .integer(Int64(PeopleRequest.longestName)),
    "pattern": "^[^\\u0000-\\u001f\\u007f]+$",
  ]
  private static let properties = properties(of: anything)

  private static func properties(of value: JSONValue) -> JSONValue {
    .object([
      JSONMember("type", "object"), JSONMember("additionalProperties", value),
      JSONMember("propertyNames", propertyName), JSONMember("minProperties", 1),
      JSONMember("maxProperties", .integer(Int64(PeopleRequest.mostNames))),
    ])
  }
}
