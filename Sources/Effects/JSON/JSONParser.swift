/// One run over one text: containers, and the recovery between their members.
///
/// Recovery never goes back, and each turn of a loop either consumes a byte or ends its container, so a run is linear
/// in the input. Recursion is bounded by the depth limit; what lies deeper is skipped by a loop.
struct JSONParser {
  var cursor: JSONCursor
  private(set) var issues: [JSONSyntaxIssue] = []
  private let limits: JSONReader.Limits
  /// What messages call the text.
  private let subject: String
  private var pointer = JSONPointer()
  /// The closing brackets that are due, the outermost first.
  private var closers: [UInt8] = []
  /// The offset of the last closing bracket that was reported as the wrong one.
  private var mismatch = -1
  /// Nothing more is read or reported.
  private(set) var isStopped = false

  init(_ bytes: [UInt8], limits: JSONReader.Limits, subject: String) {
    cursor = JSONCursor(bytes)
    self.limits = limits
    self.subject = subject
  }

  /// The value of the whole text; nil when there is none.
  mutating func parseDocument() -> JSONNode? {
    if cursor.starts(with: "\u{FEFF}") {
      report(
        .byteOrderMark, at: cursor.position(), "\(subject) starts with a byte order mark", "save it as plain UTF-8")
      cursor.advance(3)
    } else if let first = cursor.byte, first >= 0xfe, let second = cursor.byte(ahead: 1), second >= 0xfe {
      report(.invalidUTF8, at: cursor.position(), "\(subject) is UTF-16", "save it as UTF-8")
      return nil
    }
    skipBlank()
    guard cursor.byte != nil else {
      let what = issues.isEmpty ? "is empty" : "holds no value"
      report(.emptyDocument, at: cursor.position(), "\(subject) \(what)", "")
      return nil
    }
    let root = parseValue()
    skipBlank()
    if !isStopped, cursor.byte != nil {
      report(.trailingContent, at: cursor.position(), "text after the end of the document", "one value is the document")
    }
    return root
  }

  /// Notes an issue in the value being read.
  mutating func report(_ code: JSONSyntaxIssue.Code, at position: JSONPosition, _ message: String, _ hint: String) {
    guard !isStopped else { return }
    guard issues.count < limits.issues else {
      issues.append(
        JSONSyntaxIssue(
          code: .tooManyIssues, position: position, pointer: pointer,
          message: "more than \(limits.issues) issues, reading stops here", hint: ""))
      isStopped = true
      return
    }
    issues.append(JSONSyntaxIssue(code: code, position: position, pointer: pointer, message: message, hint: hint))
  }

  // MARK: Values

  private mutating func parseValue() -> JSONNode {
    let start = cursor.position()
    guard !isStopped, let byte = cursor.byte else { return JSONNode(kind: .invalid, position: start) }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      return parseContainer(start, isObject: byte == UInt8(ascii: "{"))
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      return JSONNode(kind: .string(parseString(start)), position: start)
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
      return JSONNode(kind: parseNumber(start), position: start)
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"):
      report(.missingValue, at: start, "no value before \(printed(byte))", "")
    case _ where byte.startsWord:
      return JSONNode(kind: parseLiteral(start), position: start)
    default:
      report(.unexpectedCharacter, at: start, "\(printedCharacter()) is not the start of a value", "")
      cursor.advance()
      cursor.skip { !$0.endsJunk }
    }
    return JSONNode(kind: .invalid, position: start)
  }

  private mutating func parseContainer(_ start: JSONPosition, isObject: Bool) -> JSONNode {
    guard closers.count < limits.depth else {
      report(.tooDeep, at: start, "containers nested deeper than \(limits.depth)", "")
      skipContainers()
      return JSONNode(kind: .invalid, position: start)
    }
    closers.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
    cursor.advance()
    let kind = isObject ? parseMembers(start) : parseElements(start)
    closers.removeLast()
    return JSONNode(kind: kind, position: start)
  }

  private mutating func parseElements(_ start: JSONPosition) -> JSONNode.Kind {
    var elements: [JSONNode] = []
    var comma: JSONPosition?
    while !closes(start, after: comma, empty: elements.isEmpty) {
      pointer.steps.append(.index(elements.count))
      let element = parseValue()
      pointer.steps.removeLast()
      elements.append(element)
      comma = parseSeparator(after: element)
    }
    return .array(elements)
  }

  private mutating func parseMembers(_ start: JSONPosition) -> JSONNode.Kind {
    var members: [JSONNode.Member] = []
    // By bytes: `String` compares by canonical equivalence, RFC 8259 (section 8.3) does not.
    var seen: [[UInt8]: JSONPosition] = [:]
    var comma: JSONPosition?
    while !closes(start, after: comma, empty: members.isEmpty) {
      let position = cursor.position()
      guard let name = parseName(position) else {
        comma = parseSeparator(after: nil)
        continue
      }
      pointer.steps.append(.name(name))
      let first = seen[Array(name.utf8)]
      if let first {
        report(
          .duplicateName, at: position, "the key \(shown(name)) is already on line \(first.line)", "remove one of them")
      }
      parseColon()
      let node = parseValue()
      pointer.steps.removeLast()
      if first == nil {
        seen[Array(name.utf8)] = position
        members.append(JSONNode.Member(name: name, namePosition: position, node: node))
      }
      comma = parseSeparator(after: node)
    }
    return .object(members)
  }

  /// The name of a member; nil when nothing like a name was there, and it was skipped.
  private mutating func parseName(_ start: JSONPosition) -> String? {
    guard let byte = cursor.byte else { return nil }
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { return parseString(start) }
    guard byte.continuesWord else {
      report(.missingName, at: start, "\(printedCharacter()) is not the start of a name", "names are in double quotes")
      cursor.advance()
      cursor.skip { !$0.endsJunk || $0 == 0x20 }
      return nil
    }
    cursor.skip { $0.continuesWord }
    let name = String(decoding: cursor.slice(from: start.offset), as: UTF8.self)
    report(.unquotedName, at: start, "the name is not in quotes", "write \"\(name)\"")
    return name
  }

  private mutating func parseColon() {
    let end = cursor.position()
    skipBlank()
    guard !isStopped, let byte = cursor.byte else { return }
    switch byte {
    case UInt8(ascii: ":"): cursor.advance()
    // Without colon and value: the missing value is reported.
    case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return
    default:
      report(.missingColon, at: end, "no colon after the name", "")
      if byte == UInt8(ascii: "=") { cursor.advance() }
    }
    skipBlank()
  }

  // MARK: Between values

  /// Whether the container ends here; consumes its closing bracket, and reports all that is not the start of a member.
  private mutating func closes(_ start: JSONPosition, after comma: JSONPosition?, empty: Bool) -> Bool {
    var comma = comma
    while true {
      skipBlank()
      guard !isStopped, let closer = closers.last else { return true }
      guard let byte = cursor.byte else {
        report(
          .unterminatedContainer, at: cursor.position(),
          "\(subject) ends, but the \(opener(of: closer)) of line \(start.line), column \(start.column) is not closed",
          "")
        isStopped = true
        return true
      }
      switch byte {
      case closer:
        if let comma { report(.trailingComma, at: comma, "comma before \(printed(closer))", "remove the comma") }
        cursor.advance()
        return true
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if mismatch != cursor.offset {
          report(
            .mismatchedBracket, at: cursor.position(),
            "\(printed(byte)) where \(printed(closer)) must close the \(opener(of: closer)) of line \(start.line), "
              + "column \(start.column)", "")
        }
        mismatch = cursor.offset
        // It closes an outer container when one waits for it; else it was meant for this one.
        if !closers.dropLast().contains(byte) { cursor.advance() }
        return true
      case UInt8(ascii: ","):
        let position = cursor.position()
        report(.missingValue, at: position, "no value before the comma", "remove the comma")
        comma = nil
        cursor.advance()
      default:
        return false
      }
    }
  }

  /// Moves over the comma after a value and returns its place; nil when there is none.
  private mutating func parseSeparator(after node: JSONNode?) -> JSONPosition? {
    let end = cursor.position()
    skipBlank()
    guard !isStopped, let byte = cursor.byte else { return nil }
    switch byte {
    case UInt8(ascii: ","):
      let comma = cursor.position()
      cursor.advance()
      return comma
    case UInt8(ascii: "}"), UInt8(ascii: "]"): return nil
    default:
      // After something unreadable nobody knows where the next value starts: one report is enough.
      if let node, case .invalid = node.kind { return nil }
      if node == nil { return nil }
      report(.missingComma, at: end, "no comma after the value", "add a comma")
      if byte == UInt8(ascii: ";") { cursor.advance() }
      return nil
    }
  }

  /// Moves over white space; comments are reported and moved over too.
  private mutating func skipBlank() {
    while true {
      cursor.skip { $0 == 0x20 || $0 == 0x0a || $0 == 0x0d || $0 == 0x09 }
      guard !isStopped, let byte = cursor.byte else { return }
      let next = cursor.byte(ahead: 1)
      let isBlock = byte == UInt8(ascii: "/") && next == UInt8(ascii: "*")
      let isLine = byte == UInt8(ascii: "#") || byte == UInt8(ascii: "/") && next == UInt8(ascii: "/")
      guard isBlock || isLine else { return }
      report(.comment, at: cursor.position(), "comments are not JSON", "remove the comment")
      if isLine {
        cursor.skip { $0 != UInt8(ascii: "\n") }
      } else {
        cursor.advance(2)
        while cursor.byte != nil, !cursor.starts(with: "*/") { cursor.advance() }
        cursor.advance(2)
      }
    }
  }

  /// Moves over a container and all in it, without recursion.
  private mutating func skipContainers() {
    var open = 0
    while let byte = cursor.byte {
      cursor.advance()
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"): open &+= 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        open &-= 1
        if open == 0 { return }
      case UInt8(ascii: "\""):
        while let inner = cursor.byte, inner != UInt8(ascii: "\""), inner != UInt8(ascii: "\n") {
          cursor.advance(inner == UInt8(ascii: "\\") ? 2 : 1)
        }
        cursor.advance()
      default: continue
      }
    }
    // The text ended inside: the depth was reported, that is enough.
    isStopped = true
  }

  /// A name for a message, cut where it is long.
  private func shown(_ name: String) -> String { name.count > 60 ? "\"\(name.prefix(57))...\"" : "\"\(name)\"" }

  /// The bracket that a closing one closes, for a message.
  private func opener(of closer: UInt8) -> String { closer == UInt8(ascii: "}") ? "'{'" : "'['" }

  /// The character here, for a message.
  func printedCharacter() -> String {
    guard let byte = cursor.byte else { return "the end" }
    guard byte >= 0x80 else { return printed(byte) }
    let length = UTF8Sequence.length(at: cursor.offset, in: cursor.bytes)
    guard length > 0 else { return "byte 0x" + String(byte, radix: 16) }
    let text = String(decoding: cursor.bytes[cursor.offset..<cursor.offset &+ length], as: UTF8.self)
    let value = text.unicodeScalars.first.map { String($0.value, radix: 16, uppercase: true) } ?? ""
    return "U+" + String(repeating: "0", count: max(0, 4 &- value.utf8.count)) + value
  }

  private func printed(_ byte: UInt8) -> String {
    byte > 0x20 && byte < 0x7f ? "'\(Character(Unicode.Scalar(byte)))'" : "byte 0x" + String(byte, radix: 16)
  }
}

extension UInt8 {
  /// Whether a run of unreadable bytes ends here: at white space, a comma, a bracket, a quote.
  fileprivate var endsJunk: Bool {
    switch self {
    case 0x20, 0x09, 0x0a, 0x0d, UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"),
      UInt8(ascii: "}"), UInt8(ascii: "\""):
      true
    default: false
    }
  }
}
