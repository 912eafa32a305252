import Effects

extension ValueKind where Value == [JSONMember] {
  /// Parameters of a visit: an object of strings, numbers and booleans.
  static var visitParams: Self {
    let value: JSONValue = [
      "type": ["string", "number", "boolean"], "maxLength": 1024, "pattern": "^[^\\u0000]*$",
    ]
    let schema: [JSONMember] = [
      JSONMember("type", "object"), JSONMember("additionalProperties", value),
      JSONMember("propertyNames", ["pattern": .string(VisitParamName.pattern)]), JSONMember("maxProperties", 32),
    ]
    return Self(schema: schema) { node, context in
      guard case .object(let members) = node.kind else {
        context.reportType(
          node, expected: "an object of names and values", hint: "such as {\"utm_source\": \"egress\"}")
        return nil
      }
      guard members.count <= 32 else {
        context.report(.listLength, at: node.position, "the object has \(members.count) members", hint: "at most 32")
        return nil
      }
      let params = members.compactMap { member in
        context.descend(.name(member.name)) { param(member, &$0) }
      }
      return params.count == members.count ? params : nil
    } write: {
      .object($0)
    }
  }

  private static func param(_ member: JSONNode.Member, _ context: inout ReadingContext) -> JSONMember? {
    guard VisitParamName.isName(member.name) else {
      let close = VisitParamName.snakeCase(member.name)
      let hint =
        VisitParamName.isName(close) ? "write \"\(close)\"" : "a letter, then letters, digits and \"_\", in lower case"
      context.report(.invalidText, at: member.namePosition, "\(member.name.quoted) is not a name", hint: hint)
      return nil
    }
    if let hint = VisitParamName.reserved[member.name] {
      context.report(
        .reservedName, at: member.namePosition, "\(member.name.quoted) is not for parameters of a visit", hint: hint)
      return nil
    }
    switch member.node.kind {
    case .string(let text):
      guard text.unicodeScalars.count <= 1024, !text.utf8.contains(0) else {
        context.report(
          .invalidText, at: member.node.position, "the text is longer than 1024 characters, or has a NUL character")
        return nil
      }
      return JSONMember(member.name, .string(text))
    case .integer(let number): return JSONMember(member.name, .integer(number))
    case .double(let number): return JSONMember(member.name, .shortest(number))
    case .bool(let truth): return JSONMember(member.name, .bool(truth))
    default:
      context.reportType(member.node, expected: "a string, a number, true or false")
      return nil
    }
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
