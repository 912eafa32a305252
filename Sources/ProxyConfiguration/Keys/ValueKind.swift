import Effects

/// How a value is written in JSON: one description for the reader and for the schema.
struct ValueKind<Value: Sendable>: Sendable {
  /// The keywords of its JSON Schema.
  let schema: [JSONMember]
  /// The value that was written; nil when it was not valid, which is reported.
  let read: @Sendable (JSONNode, inout ReadingContext) -> Value?
  /// The value as it would be written.
  let write: @Sendable (Value) -> JSONValue
}

extension ValueKind where Value == Bool {
  /// `true` or `false`.
  static var boolean: Self {
    Self(schema: [JSONMember("type", "boolean")]) { node, context in
      if case .bool(let truth) = node.kind { return truth }
      var hint = ""
      if case .string(let text) = node.kind, text == "true" || text == "false" { hint = "remove the quotes" }
      context.reportType(node, expected: "true or false", hint: hint)
      return nil
    } write: {
      .bool($0)
    }
  }
}

extension ValueKind where Value == Int64 {
  /// A whole number in a range.
  static func integer(_ range: ClosedRange<Int64>, unit: String = "") -> Self {
    let schema = [
      JSONMember("type", "integer"), JSONMember("minimum", .integer(range.lowerBound)),
      JSONMember("maximum", .integer(range.upperBound)),
    ]
    let bounds = "\(range.lowerBound) to \(range.upperBound)" + (unit.isEmpty ? "" : " \(unit)")
    return Self(schema: schema) { node, context in
      let number: Int64
      switch node.kind {
      case .integer(let value): number = value
      // 8e3 and 8.0 are whole numbers too, for JSON Schema as for people.
      case .double(let value):
        guard value == value.rounded(.towardZero) else {
          context.reportType(node, expected: "a whole number")
          return nil
        }
        guard let exact = Int64(exactly: value) else {
          context.report(.outOfRange, at: node.position, "the number is out of range", hint: bounds)
          return nil
        }
        number = exact
      case .string(let text):
        let hint = Int64(text) == nil ? "a number without unit, \(bounds)" : "remove the quotes"
        context.reportType(node, expected: "a whole number", hint: hint)
        return nil
      default:
        context.reportType(node, expected: "a whole number")
        return nil
      }
      guard range.contains(number) else {
        context.report(.outOfRange, at: node.position, "\(number) is out of range", hint: bounds)
        return nil
      }
      return number
    } write: {
      .integer($0)
    }
  }
}

extension ValueKind where Value == Int {
  /// A whole number in a range.
  static func count(_ range: ClosedRange<Int64>, unit: String = "") -> Self {
    ValueKind<Int64>.integer(range, unit: unit).map {
      Int(clamping: $0)
    } back: {
      Int64($0)
    }
  }
}

extension ValueKind where Value == Double {
  /// A number above 0.
  static var positiveNumber: Self {
    Self(schema: [JSONMember("type", "number"), JSONMember("exclusiveMinimum", 0)]) { node, context in
      guard let number = node.number else {
        var hint = ""
        if case .string = node.kind { hint = "a number without quotes and unit" }
        context.reportType(node, expected: "a number", hint: hint)
        return nil
      }
      guard number > 0 else {
        context.report(.outOfRange, at: node.position, "the number must be above 0")
        return nil
      }
      return number
    } write: {
      .shortest($0)
    }
  }
}

extension ValueKind where Value == Double {
  /// A number in a range.
  static func number(_ range: ClosedRange<Double>, unit: String) -> Self {
    let schema = [
      JSONMember("type", "number"), JSONMember("minimum", .shortest(range.lowerBound)),
      JSONMember("maximum", .shortest(range.upperBound)),
    ]
    let bounds = "\(JSONWriter.text(.shortest(range.lowerBound))) to \(JSONWriter.text(.shortest(range.upperBound)))"
    return Self(schema: schema) { node, context in
      guard let number = node.number else {
        var hint = ""
        if case .string = node.kind { hint = "\(unit) as a number without quotes and unit, \(bounds)" }
        context.reportType(node, expected: "a number", hint: hint)
        return nil
      }
      guard range.contains(number) else {
        context.report(.outOfRange, at: node.position, "the number is out of range", hint: "\(bounds) \(unit)")
        return nil
      }
      return number
    } write: {
      .shortest($0)
    }
  }
}

extension ValueKind where Value == String {
  /// A name or a version: 1 to 255 characters, none of them a control character.
  static var shortText: Self {
    let schema = [JSONMember("type", "string"), JSONMember("pattern", "^[^\\u0000-\\u001f\\u007f]{1,255}$")]
    return Self(schema: schema) { node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a string")
        return nil
      }
      guard (1...255).contains(text.unicodeScalars.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
        context.report(
          .invalidText, at: node.position, "the text is not 1 to 255 characters long without control characters")
        return nil
      }
      return text
    } write: {
      .string($0)
    }
  }
}

extension ValueKind where Value == Duration {
  /// A time in seconds.
  static func seconds(_ range: ClosedRange<Double>) -> Self {
    let schema = [
      JSONMember("type", "number"), JSONMember("minimum", .shortest(range.lowerBound)),
      JSONMember("maximum", .shortest(range.upperBound)),
    ]
    let bounds = "\(JSONWriter.text(.shortest(range.lowerBound))) to \(JSONWriter.text(.shortest(range.upperBound)))"
    return Self(schema: schema) { node, context in
      guard let number = node.number else {
        var hint = ""
        if case .string = node.kind { hint = "seconds as a number without quotes and unit, \(bounds)" }
        context.reportType(node, expected: "a number of seconds", hint: hint)
        return nil
      }
      guard range.contains(number) else {
        context.report(.outOfRange, at: node.position, "the time is out of range", hint: "\(bounds) seconds")
        return nil
      }
      return .nanoseconds(Int64(exactly: (number * 1e9).rounded()) ?? .max)
    } write: { duration in
      let (seconds, attoseconds) = duration.components
      return .shortest(Double(seconds) + Double(attoseconds) / 1e18)
    }
  }
}

extension ValueKind where Value: Hashable {
  /// One of a few texts.
  static func choice(_ choices: [(text: String, value: Value)], unsupported: [String] = []) -> Self {
    let texts = choices.map(\.text)
    let schema = [JSONMember("enum", .array(texts.map { .string($0) }))]
    return Self(schema: schema) { node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "one of " + texts.map { "\"\($0)\"" }.joined(separator: ", "))
        return nil
      }
      if let choice = choices.first(where: { $0.text == text }) { return choice.value }
      if unsupported.contains(text) {
        context.report(
          .unsupportedValue, at: node.position, "this version does not support \(text.quoted) yet", hint: "remove it")
      } else {
        context.report(
          .unknownChoice, at: node.position, "\(text.quoted) is not a choice",
          hint: Suggestion.hint(for: text, among: texts))
      }
      return nil
    } write: { value in
      choices.first { $0.value == value }.map { .string($0.text) } ?? .null
    }
  }
}

extension JSONNode {
  /// The value of a number of either kind.
  fileprivate var number: Double? {
    switch kind {
    case .integer(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}

extension JSONValue {
  /// A number, written without fraction when it has none.
  static func shortest(_ number: Double) -> JSONValue {
    Int64(exactly: number).map { .integer($0) } ?? .double(number)
  }
}
