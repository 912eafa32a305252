/// The name and value pairs of a query, percent-decoded.
///
/// A plus sign stays a plus sign: the values here are URLs, in which it is an ordinary character.
package struct QueryString: Sendable, Hashable {
  /// One pair; the value is nil when the name stands without `=`.
  package struct Item: Sendable, Hashable {
    package var name: String
    package var value: String?
  }

  package let items: [Item]

  /// Nil when the text holds a broken percent-encoding or one that does not spell UTF-8.
  package init?(_ text: String) {
    var items: [Item] = []
    for pair in text.split(separator: "&", omittingEmptySubsequences: true) {
      let equals = pair.firstIndex(of: "=")
      guard let name = QueryString.decoded(pair[..<(equals ?? pair.endIndex)]) else { return nil }
      guard let equals else {
        items.append(Item(name: name, value: nil))
        continue
      }
      guard let value = QueryString.decoded(pair[pair.index(after: equals)...]) else { return nil }
      items.append(Item(name: name, value: value))
    }
    self.items = items
  }

  /// Whether the name is there, with or without a value.
  package func contains(_ name: String) -> Bool { items.contains { $0.name == name } }

  /// The first value given for the name; empty when the name stands alone.
  package func value(of name: String) -> String? {
    items.first { $0.name == name }.map { $0.value ?? "" }
  }

  /// The text with its percent-encodings decoded (RFC 3986, section 2.1), or nil when one is broken.
  package static func decoded(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(nibble), let low = rest.next().flatMap(nibble) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The text with all but unreserved characters percent-encoded (RFC 3986, section 2.3).
  package static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default:
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 0xf))
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }

  private static func digit(_ nibble: UInt8) -> UInt8 {
    nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "A") &+ nibble &- 10
  }
}
