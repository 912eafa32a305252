import Effects

extension ValueKind where Value == [JSONMember] {
  /// Parameters of a visit: an object of strings, numbers and booleans.
  static var visitParams: Self {
    .namedScalars(
      NamedScalars(
        pattern: VisitParamName.pattern, isName: VisitParamName.isName,
        nameHint: { name in
          let close = VisitParamName.snakeCase(name)
          return VisitParamName.isName(close)
            ? "write \"\(close)\"" : "a letter, then letters, digits and \"_\", in lower case"
        }, reserved: VisitParamName.reserved, purpose: "parameters of a visit", example: "{\"utm_source\": \"egress\"}")
    )
  }
}

/// The name of a parameter of a visit.
enum VisitParamName {
  static let pattern = "^[a-z][a-z0-9_]{0,63}$"

  /// Names that mean something else in the body of a visit, or that the gem does not take from it.
  static let reserved = [
    "visit_token": "the proxy makes the tokens itself", "visitor_token": "the proxy makes the tokens itself",
    "platform": "use \"environment\"", "app_version": "use \"environment\"", "os_version": "use \"environment\"",
    "name": "the gem takes a body with it for an event", "events": "the gem takes it for the list of events",
    "events_json": "the gem takes it for the list of events", "js": "it is for browsers",
    "started_at": "the gem sets it itself", "ip": "the gem sets it itself",
    "user_id": "the gem takes the user from who is signed in",
  ]

  static func isName(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, isLetter(first), bytes.count <= 64 else { return false }
    return bytes.allSatisfy {
      isLetter($0) || $0 == UInt8(ascii: "_") || $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")
    }
  }

  /// `utmSource` and `utm-source` as `utm_source`.
  static func snakeCase(_ text: String) -> String {
    var result = ""
    for character in text {
      if character.isUppercase, !result.isEmpty { result.append("_") }
      result += character == "-" ? "_" : character.lowercased()
    }
    return result
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }
}
