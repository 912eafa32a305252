/// One place where a text is not the JSON of RFC 8259, or exceeds the reader's limits.
package struct JSONSyntaxIssue: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong; the raw value is stable, for tests and tools.
  package enum Code: String, Sendable, CaseIterable {
    /// The text holds no value.
    case emptyDocument = "empty-document"
    /// The text has more bytes than the limit.
    case inputTooLarge = "input-too-large"
    /// The text starts with a byte order mark (RFC 8259, section 8.1).
    case byteOrderMark = "byte-order-mark"
    /// The text is not UTF-8.
    case invalidUTF8 = "invalid-utf8"
    /// A comment; JSON has none.
    case comment
    /// A comma before a closing bracket.
    case trailingComma = "trailing-comma"
    /// No comma between two values or members.
    case missingComma = "missing-comma"
    /// No colon between a name and its value.
    case missingColon = "missing-colon"
    /// No value where one must be.
    case missingValue = "missing-value"
    /// No name where one must be.
    case missingName = "missing-name"
    /// A name without quotes.
    case unquotedName = "unquoted-name"
    /// A string in single quotes.
    case singleQuotes = "single-quotes"
    /// A string that does not end on its line.
    case unterminatedString = "unterminated-string"
    /// A control character in a string, not written as an escape.
    case controlCharacter = "control-character"
    /// A backslash before a character that is no escape.
    case invalidEscape = "invalid-escape"
    /// Half of a surrogate pair.
    case loneSurrogate = "lone-surrogate"
    /// A number with a leading zero.
    case leadingZero = "leading-zero"
    /// Another text that starts like a number and is none.
    case malformedNumber = "malformed-number"
    /// A number too large for a 64-bit floating-point number.
    case numberOutOfRange = "number-out-of-range"
    /// A word other than `true`, `false` and `null`.
    case unknownLiteral = "unknown-literal"
    /// The same name twice in an object.
    case duplicateName = "duplicate-key"
    /// A closing bracket of the wrong kind.
    case mismatchedBracket = "mismatched-bracket"
    /// The text ends inside an array or object.
    case unterminatedContainer = "unterminated-container"
    /// Containers nested deeper than the limit.
    case tooDeep = "too-deep"
    /// A character that has no meaning at its place.
    case unexpectedCharacter = "unexpected-character"
    /// Something after the end of the value.
    case trailingContent = "trailing-content"
    /// More issues than the reader reports; reading stopped there.
    case tooManyIssues = "too-many-issues"
  }

  /// What is wrong.
  package let code: Code
  /// Where.
  package let position: JSONPosition
  /// The value in which it is wrong.
  package let pointer: JSONPointer
  /// What is wrong, in words.
  package let message: String
  /// What to do; empty when the message says it.
  package let hint: String

  /// Line, column, pointer, message and hint on one line.
  package var description: String {
    let path = pointer.steps.isEmpty ? "" : ": \(pointer)"
    let place = "\(position.line):\(position.column)\(path)"
    return hint.isEmpty ? "\(place): \(message)" : "\(place): \(message): \(hint)"
  }
}
