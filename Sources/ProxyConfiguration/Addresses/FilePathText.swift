import Effects

/// The text of a path.
enum FilePathText {
  /// The path, seen from the configuration's folder when it is relative; nil when it is not one, which is reported.
  static func check(_ text: String, _ node: JSONNode, _ context: inout ReadingContext) -> String? {
    let (message, hint): (String, String)
    if text.isEmpty {
      (message, hint) = ("the path is empty", "write null, or remove the key")
    } else if text.utf8.contains(0) {
      (message, hint) = ("the path has a NUL character", "")
    } else if text.utf8.first == UInt8(ascii: "~") {
      (message, hint) = ("'~' is not replaced", "write the whole path")
    } else {
      return context.resolved(text)
    }
    context.report(.invalidPath, at: node.position, message, hint: hint)
    return nil
  }
}

extension ValueKind where Value == String {
  /// A path; a relative one is seen from the folder of the configuration file.
  static var path: Self {
    let schema = [JSONMember("type", "string"), JSONMember("minLength", 1), JSONMember("pattern", "^[^~\\u0000]")]
    return Self(schema: schema) { node, context in
      guard case .string(let text) = node.kind else {
        context.reportType(node, expected: "a path")
        return nil
      }
      return FilePathText.check(text, node, &context)
    } write: {
      .string($0)
    }
  }
}
