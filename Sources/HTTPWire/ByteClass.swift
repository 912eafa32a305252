/// Which grammar a byte belongs to: one bit each, looked up in one table.
///
/// The table is a string literal because that is constant memory: no initialiser runs, no check guards its use,
/// and no instance has to carry it. Every entry is below 0x80, so one entry is one byte of UTF-8.
/// `ByteClassTests` holds it to the grammars, which are spelled out there.
enum ByteClass {
  /// A byte of a token (RFC 9110, section 5.6.2).
  static let token: UInt8 = 1
  /// A byte of a host label: letters, digits, `-` and `_`.
  static let label: UInt8 = 2
  /// A byte between the brackets of an IPv6 literal: hexadecimal digits, `:` and `.`.
  static let ipv6: UInt8 = 4
  /// A byte that a URL's path must be looked at for: one that is refused, escaped, ends the path or may be a dot.
  static let pathStop: UInt8 = 8
  /// A byte that a URL's query must be looked at for: one that is refused, escaped or ends the query.
  static let queryStop: UInt8 = 16

  /// 256 entries, indexed by the byte.
  @inline(__always) static var table: Bytes {
    let entries: StaticString = """
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\
      \u{18}\u{1}\u{0}\u{19}\u{1}\u{9}\u{1}\u{1}\u{0}\u{0}\u{1}\u{1}\u{0}\u{3}\u{D}\u{0}\
      \u{7}\u{7}\u{7}\u{7}\u{7}\u{7}\u{7}\u{7}\u{7}\u{7}\u{4}\u{0}\u{0}\u{0}\u{0}\u{8}\
      \u{0}\u{7}\u{7}\u{7}\u{7}\u{7}\u{7}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\
      \u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{0}\u{8}\u{0}\u{1}\u{3}\
      \u{1}\u{7}\u{7}\u{7}\u{7}\u{7}\u{7}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\
      \u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{3}\u{0}\u{1}\u{0}\u{1}\u{18}\
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\
      \u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}\u{18}
      """
    return entries.utf8Start
  }

  /// Whether the byte belongs to any of the classes in `mask`.
  @inline(__always) static func has(_ mask: UInt8, _ byte: UInt8) -> Bool {
    table[Int(byte)] & mask != 0
  }
}
