/// Reads JSON text (RFC 8259), strictly, with the position of each name and value.
///
/// What RFC 8259 lets a reader accept is refused where it hides mistakes: a byte order mark, a name twice in an object,
/// a lone surrogate, invalid UTF-8. Reading goes on after most mistakes, so that one run can report them all. No input
/// makes the reader trap, recurse without bound or take more than a few times the input's size of memory.
package struct JSONReader: Sendable {
  /// What the reader accepts at most.
  package struct Limits: Sendable {
    /// Bytes of text.
    package var bytes = 8 << 20
    /// Containers around a value.
    package var depth = 128
    /// Issues reported before reading stops.
    package var issues = 100

    /// The default limits.
    package init() {}
  }

  /// What a text holds.
  package struct Reading: Sendable {
    /// The value, as far as it could be read; nil when there is none.
    package let root: JSONNode?
    /// What is wrong with the text, in the order of the text; empty when it is JSON.
    package let issues: [JSONSyntaxIssue]
  }

  /// What is accepted at most.
  package let limits: Limits

  /// What messages call the text that is read.
  package let subject: String

  /// A reader with the given limits.
  package init(limits: Limits = Limits(), subject: String = "the text") {
    self.limits = limits
    self.subject = subject
  }

  /// Reads a text to the end and reports all that is wrong with it.
  package func read(_ bytes: [UInt8]) -> Reading {
    guard bytes.count <= limits.bytes else {
      let issue = JSONSyntaxIssue(
        code: .inputTooLarge, position: .start, pointer: JSONPointer(),
        message: "\(subject) has \(bytes.count) bytes, more than \(limits.bytes)", hint: "")
      return Reading(root: nil, issues: [issue])
    }
    var parser = JSONParser(bytes, limits: limits, subject: subject)
    let root = parser.parseDocument()
    // A duplicate name or an unclosed bracket is reported when its end is seen, after issues inside it.
    let issues = parser.issues.enumerated().sorted { one, other in
      (one.element.position, one.offset) < (other.element.position, other.offset)
    }
    return Reading(root: root, issues: issues.map(\.element))
  }

  /// The value of a text without positions; throws the first issue.
  package func value(_ bytes: [UInt8]) throws(JSONSyntaxIssue) -> JSONValue {
    let reading = read(bytes)
    if let issue = reading.issues.first { throw issue }
    // A text without any issue has a root.
    return reading.root?.value ?? .null
  }

  /// The value of a text without positions; throws the first issue.
  package func value(_ text: String) throws(JSONSyntaxIssue) -> JSONValue { try value(Array(text.utf8)) }
}
