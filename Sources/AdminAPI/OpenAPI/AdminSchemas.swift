import Effects

/// The JSON schemas (draft 2020-12, as OpenAPI 3.1 uses it) of what the admin endpoint takes and answers.
enum AdminSchemas {
  /// Every component schema with its name.
  static let all: [(name: String, schema: JSONValue)] = [
    ("Error", error), ("Status", status), ("Health", health), ("ResetRequest", resetRequest),
    ("ResetAnswer", object([("reset", array(resetResult))])),
    ("ReloadRequest", object([])),
    ("ReloadAnswer", object([("reloaded", boolean), ("path", text), ("hash", text), ("warnings", array(text))])),
    ("RuleTest", ruleTest),
    ("VisitRequest", visitRequest), ("Visit", visit), ("TrackRequest", trackRequest),
    ("TrackAnswer", object([("id", text)])),
    ("AttachRequest", attachRequest), ("AttachAnswer", object([("userID", nullable(text))])),
    ("EmptyRequest", object([])),
    ("FlushAnswer", object([("backends", array(flushOutcome))])),
    ("DeadLetters", object([("total", count), ("deadLetters", array(deadLetter))])),
    ("RequeueRequest", requeueRequest), ("RequeueAnswer", object([("requeued", count)])),
    ("IdentifyRequest", identifyRequest), ("Identity", identity), ("PeopleRequest", peopleRequest),
    ("PeopleAnswer", object([("queued", count)])), ("Flags", flags),
    // The document describes itself no further than that it is an object.
    ("OpenAPI", .object([JSONMember("type", "object")])),
  ]

  static let text: JSONValue = .object([JSONMember("type", "string")])
  static let boolean: JSONValue = .object([JSONMember("type", "boolean")])
  static let number: JSONValue = .object([JSONMember("type", "number")])
  static let count: JSONValue = .object([JSONMember("type", "integer"), JSONMember("minimum", 0)])
  static let time: JSONValue = .object([JSONMember("type", "string"), JSONMember("format", "date-time")])

  static func array(_ element: JSONValue) -> JSONValue {
    .object([JSONMember("type", "array"), JSONMember("items", element)])
  }

  static func oneOf(_ words: [String]) -> JSONValue {
    .object([JSONMember("type", "string"), JSONMember("enum", .array(words.map { .string($0) }))])
  }

  /// The same schema, or null.
  static func nullable(_ schema: JSONValue) -> JSONValue {
    guard let members = schema.members else { return schema }
    return .object(
      members.map { $0.name == "type" ? JSONMember("type", .array([$0.value, "null"])) : $0 })
  }

  /// An object in which every member is always there, beside the optional ones.
  static func object(_ members: [(String, JSONValue)], optional: [(String, JSONValue)] = []) -> JSONValue {
    var result = [
      JSONMember("type", "object"),
      JSONMember("properties", .object((members + optional).map { JSONMember($0.0, $0.1) })),
    ]
    if !members.isEmpty { result.append(JSONMember("required", .array(members.map { .string($0.0) }))) }
    result.append(JSONMember("additionalProperties", false))
    return .object(result)
  }

  private static let error = object([
    (
      "error",
      object(
        [("code", oneOf(AdminError.Code.allCases.map(\.rawValue))), ("message", text), ("hint", text)],
        optional: [
          ("endpoints", array(object([("method", text), ("path", text), ("summary", text)]))),
          ("issues", array(text)), ("reset", array(resetResult)),
        ])
    )
  ])

  private static let health = object([
    ("status", oneOf(["ok", "failing"])),
    ("checks", array(object([("name", text), ("passes", boolean), ("detail", text)]))),
  ])

  private static let resetRequest = object(
    [
      (
        "what",
        .object([
          JSONMember("type", "array"), JSONMember("items", oneOf(ResetTarget.allCases.map(\.rawValue))),
          JSONMember("minItems", 1),
        ])
      )
    ], optional: [("flush", boolean)])

  private static let resetResult = object([
    ("what", oneOf(ResetTarget.allCases.map(\.rawValue))), ("outcome", oneOf(["renewed", "cleared", "failed"])),
    ("id", nullable(text)), ("reason", nullable(text)), ("discarded", nullable(count)),
  ])

  private static let ruleTest = object([
    ("url", text), ("canonical", nullable(text)), ("refusal", nullable(text)), ("matches", boolean),
    ("effects", array(text)), ("note", nullable(text)),
    (
      "rules",
      array(object([("name", text), ("matches", boolean), ("reasons", array(text)), ("effects", array(text))]))
    ),
  ])

  private static let status = object([
    ("phase", oneOf(StatusReport.Phase.allCases.map(\.rawValue))), ("processID", count), ("startedAt", time),
    ("uptimeSeconds", number),
    (
      "versions",
      object([
        ("footfall", text), ("commit", text), ("swift", text),
        ("libraries", .object([JSONMember("type", "object"), JSONMember("additionalProperties", text)])),
      ])
    ),
    ("configuration", configuration), ("proxy", proxy), ("visitorID", visitorID),
    (
      "rules",
      array(
        object([
          ("name", text), ("matchers", array(text)), ("effects", array(text)), ("matched", count), ("failed", count),
          ("when", nullable(text)), ("reason", nullable(text)),
        ]))
    ),
    ("events", nullable(events)), ("ahoy", nullable(ahoy)), ("cohorly", nullable(cohorly)),
    ("pipeline", array(delivery)),
  ])

  private static let configuration = object([
    ("path", text), ("hash", text), ("loadedAt", time),
    ("lastReload", nullable(object([("at", time), ("succeeded", boolean), ("issues", array(text))]))),
  ])

  private static let proxy = object([
    ("listen", array(text)), ("workers", count), ("clientConnections", count), ("connectionLimit", count),
    ("upstreamConnections", count),
    ("tunnels", count), ("requests", count), ("failed", count), ("bytesFromClients", count),
    ("bytesToClients", count),
  ])

  private static let visitorID = object([
    ("state", oneOf(StatusReport.Visitor.State.allCases.map(\.rawValue))), ("reasons", array(text)),
    ("header", nullable(text)), ("id", nullable(text)), ("createdAt", nullable(time)), ("expiresAt", nullable(time)),
    ("ttlHours", nullable(number)),
  ])

  private static let events = object([
    ("file", text), ("committed", count), ("pending", count), ("droppedFull", count), ("droppedError", count),
    ("damaged", count), ("expired", count), ("quarantined", count), ("isFailing", boolean), ("rows", count),
    ("fileBytes", count), ("lastError", nullable(text)),
  ])
}
