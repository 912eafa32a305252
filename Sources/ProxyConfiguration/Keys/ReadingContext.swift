import Effects

/// What the readers of values share while one document is read.
struct ReadingContext {
  /// The name of the file, or of what else held the values.
  var file: String
  /// The folder to which relative paths relate; without a slash at its end.
  let folder: String
  /// The way to the value being read.
  var pointer = JSONPointer()
  /// Where the text ends early; of the containers on the way there nobody knows the rest.
  var cut: JSONPointer?
  /// Whether the values come from the environment or the command line, where lines mean nothing.
  let isOverride: Bool
  /// What was found so far.
  var issues: [ConfigurationIssue] = []

  init(file: String, isOverride: Bool = false) {
    self.file = file
    self.isOverride = isOverride
    folder = Self.folder(of: file)
  }

  /// Notes an issue at the value being read.
  mutating func report(
    _ code: ConfigurationIssue.Code, at position: JSONPosition, _ message: String, hint: String = "",
    severity: ConfigurationIssue.Severity = .error
  ) {
    issues.append(
      ConfigurationIssue(
        file: file, position: position, pointer: pointer, code: code, severity: severity, message: message, hint: hint,
        isOverride: isOverride))
  }

  /// Notes an issue at another place.
  mutating func report(
    _ code: ConfigurationIssue.Code, at place: SourcePlace, _ message: String, hint: String = "",
    severity: ConfigurationIssue.Severity = .error
  ) {
    issues.append(
      ConfigurationIssue(
        file: place.file, position: place.position, pointer: place.pointer, code: code, severity: severity,
        message: message, hint: hint, isOverride: place.isOverride))
  }

  /// Notes that a value has the wrong type; nothing when the value is no JSON, which was reported.
  mutating func reportType(_ node: JSONNode, expected: String, hint: String = "") {
    if case .invalid = node.kind { return }
    report(.wrongType, at: node.position, "expected \(expected), found \(node.typeName)", hint: hint)
  }

  /// Whether the end of the container being read was lost, so that what it lacks is not known.
  var isCut: Bool { cut?.steps.starts(with: pointer.steps) ?? false }

  /// Runs the body one step further down.
  mutating func descend<R>(_ step: JSONPointer.Step, _ body: (inout ReadingContext) -> R) -> R {
    pointer.steps.append(step)
    defer { pointer.steps.removeLast() }
    return body(&self)
  }

  /// The place of a value being read.
  func place(of node: JSONNode) -> SourcePlace {
    SourcePlace(file: file, position: node.position, pointer: pointer, isOverride: isOverride)
  }

  /// The path, seen from the folder of the file when it is relative.
  func resolved(_ path: String) -> String {
    path.utf8.first == UInt8(ascii: "/") ? path : (folder == "/" ? "/\(path)" : "\(folder)/\(path)")
  }

  private static func folder(of file: String) -> String {
    guard let slash = file.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == file.startIndex ? "/" : String(file[..<slash])
  }
}

/// Where a value was written.
package struct SourcePlace: Sendable, Hashable {
  var file = ""
  var position = JSONPosition.start
  var pointer = JSONPointer()
  var isOverride = false
}

extension JSONNode {
  /// The value's type, with its article.
  var typeName: String {
    switch kind {
    case .null: "null"
    case .bool: "a boolean"
    case .integer: "an integer"
    case .double: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    case .invalid: "something unreadable"
    }
  }
}
