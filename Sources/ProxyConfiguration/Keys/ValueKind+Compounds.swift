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

  /// The same for a place that holds nil until the value is read.
  static func optional<Wrapped>(_ kind: ValueKind<Wrapped>) -> Self where Value == Wrapped? {
    Self(schema: kind.schema) {
      kind.read($0, &$1).map { .some($0) }
    } write: {
      $0.map(kind.write) ?? .null
    }
  }

  /// The value or `null`.
  static func orNull<Wrapped>(_ kind: ValueKind<Wrapped>) -> Self where Value == Wrapped? {
    Self(schema: [JSONMember("anyOf", [.object(kind.schema), ["type": "null"]])]) { node, context in
      if case .null = node.kind { return .some(nil) }
      return kind.read(node, &context).map { .some($0) }
    } write: { value in
      value.map(kind.write) ?? .null
    }
  }

  /// The value or a word that stands for nil.
  static func or<Wrapped>(_ word: String, _ kind: ValueKind<Wrapped>) -> Self where Value == Wrapped? {
    Self(schema: [JSONMember("anyOf", [.object(kind.schema), ["const": .string(word)]])]) { node, context in
      guard case .string(let text) = node.kind else { return kind.read(node, &context).map { .some($0) } }
      if text == word { return .some(nil) }
      guard Suggestion.closest(to: text, among: [word]) != nil else {
        return kind.read(node, &context).map { .some($0) }
      }
      context.report(
        .unknownChoice, at: node.position, "\(text.quoted) is not a choice", hint: "did you mean \"\(word)\"?")
      return nil
    } write: { value in
      value.map(kind.write) ?? .string(word)
    }
  }

  /// A list of values, each once.
  static func list<Element: Hashable>(
    _ kind: ValueKind<Element>, _ lengths: ClosedRange<Int>, of things: String
  ) -> Self where Value == [Element] {
    let schema = [
      JSONMember("type", "array"), JSONMember("items", .object(kind.schema)),
      JSONMember("minItems", .integer(Int64(lengths.lowerBound))),
      JSONMember("maxItems", .integer(Int64(lengths.upperBound))), JSONMember("uniqueItems", true),
    ]
    return Self(schema: schema) { node, context in
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
      var values: [Element] = []
      var seen: Set<Element> = []
      for (index, element) in elements.enumerated() {
        context.descend(.index(index)) { context in
          guard let value = kind.read(element, &context) else { return }
          if !seen.insert(value).inserted {
            context.report(
              .duplicateElement, at: element.position, "the value is in the list already", hint: "remove it")
          }
          values.append(value)
        }
      }
      return values.count == elements.count ? values : nil
    } write: {
      .array($0.map(kind.write))
    }
  }
}
