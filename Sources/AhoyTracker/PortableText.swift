/// Text that every database of a site takes. One that refuses a row does so silently: the server answers 200 all the same
/// (contract, facts 5 and section 2.2).
enum PortableText {
  /// The longest name of an event that a usual column holds, in scalars.
  static let maximumNameLength = 255

  /// The text with U+FFFD for NUL, which PostgreSQL refuses.
  static func text(_ text: String) -> String {
    guard text.utf8.contains(0) else { return text }
    var scalars = String.UnicodeScalarView()
    scalars.append(contentsOf: text.unicodeScalars.map { $0.value == 0 ? "\u{fffd}" : $0 })
    return String(scalars)
  }

  /// A name, cut where the column ends.
  static func name(_ name: String) -> String {
    let portable = text(name)
    guard portable.unicodeScalars.count > maximumNameLength else { return portable }
    return String(portable.unicodeScalars.prefix(maximumNameLength))
  }

  /// JSON text with U+FFFD for each escaped NUL in its strings.
  static func json(_ bytes: [UInt8]) -> [UInt8] {
    let escape = Array(#"\u0000"#.utf8)
    guard bytes.indices.contains(where: { bytes[$0] == 0x5c && bytes[$0...].starts(with: escape) }) else {
      return bytes
    }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.first {
      if byte != 0x5c {
        result.append(byte)
        rest = rest.dropFirst()
      } else if rest.starts(with: escape) {
        result.append(contentsOf: #"\ufffd"#.utf8)
        rest = rest.dropFirst(escape.count)
      } else {
        // A backslash and what it escapes belong together: after two of them, `u0000` is text.
        result.append(contentsOf: rest.prefix(2))
        rest = rest.dropFirst(2)
      }
    }
    return result
  }
}
