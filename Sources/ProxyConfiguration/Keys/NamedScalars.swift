import Effects

/// What the names of an object of strings, numbers and booleans may be.
struct NamedScalars: Sendable {
  /// The form of a name, for the schema.
  let pattern: String
  /// The same for the reader.
  let isName: @Sendable (String) -> Bool
  /// What to write instead of a name of another form.
  let nameHint: @Sendable (String) -> String
  /// Names that mean something else, with the way to that.
  let reserved: [String: String]
  /// What the members are, such as "parameters of a visit".
  let purpose: String
  /// An object that would do.
  let example: String
}

extension ValueKind where Value == [JSONMember] {
  /// An object of up to 32 strings, numbers and booleans.
  static func namedScalars(_ form: NamedScalars) -> Self {
    let value: JSONValue = [
      "type": ["string", "number", "boolean"], "maxLength": 1024, "pattern": "^[^\\u0000]*$",
    ]
    let schema: [JSONMember] = [
      JSONMember("type", "object"), JSONMember("additionalProperties", value),
      JSONMember("propertyNames", ["pattern": .string(form.pattern)]), JSONMember("maxProperties", 32),
    ]
    return Self(schema: schema) { node, context in
      guard case .object(let members) = node.kind else {
        context.reportType(node, expected: "an object of names and values", hint: "such as \(form.example)")
        return nil
      }
      guard members.count <= 32 else {
        context.report(.listLength, at: node.position, "the object has \(members.count) members", hint: "at most 32")
        return nil
      }
      let scalars = members.compactMap { member in
        context.descend(.name(member.name)) { scalar(member, form, &$0) }
      }
      return scalars.count == members.count ? scalars : nil
    } write: {
      .object($0)
    }
  }

  private static func scalar(
    _ member: JSONNode.Member, _ form: NamedScalars, _ context: inout ReadingContext
  ) -> JSONMember? {
    guard form.isName(member.name) else {
      context.report(
        .invalidText, at: member.namePosition, "\(member.name.quoted) is not a name", hint: form.nameHint(member.name))
      return nil
    }
    if let hint = form.reserved[member.name] {
      context.report(
        .reservedName, at: member.namePosition, "\(member.name.quoted) is not for \(form.purpose)", hint: hint)
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
