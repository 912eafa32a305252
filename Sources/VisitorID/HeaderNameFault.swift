/// Why a header must not carry the visitor id, or be set by any other rule (contract section 1.9).
package enum HeaderNameFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no name.
  case empty
  /// A capital letter.
  case notLowercase
  /// Not a field name at all (RFC 9110, section 5.1).
  case notToken
  /// A field name that some server, log or gateway would not pass on.
  case outsidePolicy
  /// A name with a meaning of its own, of that category.
  case reserved(category: String)
  /// A name that contains text which stands for a secret, a trace and so on.
  case reservedPart(String)

  /// The longest name.
  package static let longestName = 64

  /// What is wrong with the name: the first of the reasons, in the order above; nil when it may be used.
  package static func check(_ name: String) -> HeaderNameFault? {
    let bytes = Array(name.utf8)
    if bytes.isEmpty { return .empty }
    if bytes.contains(where: { $0 &- UInt8(ascii: "A") < 26 }) { return .notLowercase }
    guard bytes.allSatisfy(isTokenByte) else { return .notToken }
    guard let first = bytes.first, let last = bytes.last, bytes.count <= longestName, isAlphanumeric(first),
      isAlphanumeric(last),
      bytes.allSatisfy({ isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
    else { return .outsidePolicy }
    for (category, names) in ReservedHeaderNames.exact where names.contains(name) {
      return .reserved(category: category)
    }
    for (category, prefixes) in ReservedHeaderNames.prefixes
    where prefixes.contains(where: { bytes.starts(with: $0.utf8) }) {
      return .reserved(category: category)
    }
    return ReservedHeaderNames.parts.first { contains(bytes, Array($0.utf8)) }.map { .reservedPart($0) }
  }

  /// A doubt about a name that may be used.
  package static func lint(_ name: String) -> String? {
    name.utf8.contains(UInt8(ascii: "_")) ? "some servers drop header names with \"_\", nginx among them" : nil
  }

  /// In the words of the contract's vectors.
  package var description: String {
    switch self {
    case .empty: "empty"
    case .notLowercase: "not lowercase"
    case .notToken: "not a token"
    case .outsidePolicy: "outside policy"
    case .reserved(let category): "reserved:\(category)"
    case .reservedPart(let part): "reserved:contains \(part)"
    }
  }

  /// What to tell the author of the configuration.
  package var message: String {
    switch self {
    case .empty: "the header has no name"
    case .notLowercase: "the header name must be in lower case"
    case .notToken: "the header name has a character that no header name can have"
    case .outsidePolicy:
      "a header name has up to \(Self.longestName) letters, digits, \"-\" and \"_\", a letter or digit at both ends"
    case .reserved(let category): "the header name is reserved (\(category)); use one of your own, such as x-visitor-id"
    case .reservedPart(let part):
      "header names that contain \"\(part)\" are reserved; use one of your own, such as x-visitor-id"
    }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard part.count <= text.count else { return false }
    return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
  }
}
