/// What Ahoy takes for a token: 1 to 64 of `A-Z`, `a-z`, `0-9` and `-` (contract, fact 11).
package enum TokenSyntax {
  /// The longest token that the server keeps whole.
  package static let maximumLength = 64

  /// Whether the server keeps the text as it is.
  ///
  /// `null` is none: clients that wrote a missing token as text have filled databases with it.
  package static func isToken(_ text: String) -> Bool {
    let bytes = text.utf8
    return (1...maximumLength).contains(bytes.count) && bytes.allSatisfy(isAllowed) && text != "null"
  }

  /// What the server makes of a text: everything that is not allowed is removed, then the first 64 characters count.
  package static func sanitized(_ text: String) -> String {
    String(decoding: text.utf8.lazy.filter(isAllowed).prefix(maximumLength), as: UTF8.self)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}
