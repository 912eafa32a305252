import Effects

extension ValueKind {
  /// The same text for a value of another type; both ways must be total on the kind's values.
  func map<Other: Sendable>(
    _ there: @escaping @Sendable (Value) -> Other, back: @escaping @Sendable (Other) -> Value
  ) -> ValueKind<Other> {
    ValueKind<Other>(schema: schema) { node, context in
      read(node, &context).map(there)
    } write: {
      write(back($0))
    }
  }

  /// The value or `null`.
  var orNull: ValueKind<Value?> { or("null", isText: false) }

  /// The value or one word, both of JSON or as text, that stands for nil.
  func or(_ word: String, isText: Bool = true) -> ValueKind<Value?> {
    let literal: JSONValue = isText ? .string(word) : .null
    let alternative: [JSONMember] = isText ? [JSONMember("const", literal)] : [JSONMember("type", "null")]
    return ValueKind<Value?>(
      schema: [JSONMember("anyOf", [.object(schema), .object(alternative)])]
    ) { node, context in
      switch node.kind {
      case .null where !isText: return .some(nil)
      case .string(word) where isText: return .some(nil)
      case .string(let text) where isText && Suggestion.closest(to: text, among: [word]) != nil:
        context.report(
          .unknownChoice, at: node.position, "\(text.quoted) is not a choice", hint: "did you mean \"\(word)\"?")
        return nil
      default: return read(node, &context).map { .some($0) }
      }
    } write: { value in
      value.map(write) ?? literal
    }
  }

  /// A list of values, each once.
  func list(_ lengths: ClosedRange<Int>, of things: String) -> ValueKind<[Value]> where Value: Hashable {
    let schema = [
      JSONMember("type", "array"), JSONMember("items", .object(schema)),
      JSONMember("minItems", .integer(Int64(lengths.lowerBound))),
      JSONMember("maxItems", .integer(Int64(lengths.upperBound))), JSONMember("uniqueItems", true),
    ]
    return ValueKind<[Value]>(schema: schema) { node, context in
      guard case .array(let elements) = node.kind else {
        var hint = ""
        if case .string(let text) = node.kind { hint = "write [\"\(text)\"]" }
        context.reportType(node, expected: "a list of \(things)", hint: hint)
        return nil
      }
      guard lengths.contains(elements.count) else {
        let hint = "\(lengths.lowerBound) to \(lengths.upperBound) \(things)"
        context.report(.listLength, at: node.position, "the list has \(elements.count) elements", hint: hint)
        return nil
      }
      var values: [Value] = []
      for (index, element) in elements.enumerated() {
        context.descend(.index(index)) { context in
          guard let value = read(element, &context) else { return }
          if values.contains(value) {
            context.report(
              .duplicateElement, at: element.position, "the value is in the list already", hint: "remove it")
          }
          values.append(value)
        }
      }
      return values.count == elements.count ? values : nil
    } write: {
      .array($0.map(write))
    }
  }
}
