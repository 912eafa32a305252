import Effects

// What the operations of Ahoy and of the delivery take and answer.
extension AdminSchemas {
  static let visitRequest = object(
    [],
    optional: [
      (
        "params",
        .object([
          JSONMember("type", "object"),
          JSONMember(
            "additionalProperties", ["type": ["string", "number", "boolean"], "maxLength": 1024]),
          JSONMember(
            "propertyNames",
            ["pattern": "^[a-z][a-z0-9_]{0,63}$", "not": ["enum": .array(VisitRequest.reserved.map { .string($0) })]]),
          JSONMember("maxProperties", 32),
        ])
      )
    ])

  static let visit = object([
    ("visit", text), ("visitor", text), ("registered", boolean), ("createdAt", time), ("expiresAt", time),
  ])

  static let trackRequest = object(
    [("name", shortText)], optional: [("properties", .object([JSONMember("type", "object")]))])

  static let attachRequest = object([
    ("userId", ["anyOf": [shortText, ["type": "integer"]]])
  ])

  static let flushOutcome = object([
    ("backend", text), ("sent", count), ("dead", count), ("remaining", count), ("complete", boolean),
    ("obstacle", nullable(text)),
  ])

  static let deadLetter = object([
    ("number", count), ("backend", text), ("id", text), ("time", time), ("diedAt", time), ("reason", text),
    ("queued", boolean), ("payload", text),
  ])

  static let requeueRequest: JSONValue = [
    "anyOf": [
      object([("all", ["const": true])], optional: [("backend", backendName)]),
      object(
        [
          (
            "ids",
            .object([
              JSONMember("type", "array"), JSONMember("items", ["type": "string", "minLength": 1]),
              JSONMember("minItems", 1), JSONMember("maxItems", 1000),
            ])
          )
        ], optional: [("backend", backendName)]),
    ]
  ]

  static let ahoy = object([
    ("baseURL", text), ("userAgent", text), ("visit", nullable(text)), ("visitor", nullable(text)),
    ("registered", boolean), ("createdAt", nullable(time)), ("expiresAt", nullable(time)), ("userID", nullable(text)),
    ("lastError", nullable(text)),
  ])

  static let delivery = object([
    ("backend", text), ("state", oneOf(StatusReport.Delivery.State.allCases.map(\.rawValue))), ("depth", count),
    ("oldestAgeSeconds", nullable(number)), ("sent", count), ("retried", count), ("dropped", count), ("dead", count),
    ("requests", count), ("inFlight", count), ("lastError", nullable(text)), ("lastErrorAt", nullable(time)),
    ("nextTryAt", nullable(time)),
  ])

  private static let backendName: JSONValue = ["type": ["string", "null"], "minLength": 1]

  static let shortText: JSONValue = [
    "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[^\\u0000-\\u001f\\u007f]+$",
  ]
}
