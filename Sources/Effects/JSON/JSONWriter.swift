/// Writes JSON text (RFC 8259) as bytes.
///
/// Beside what the RFC asks, the writer escapes DEL and the line separators U+2028 and U+2029, so that one value is
/// always one line, also for readers that end lines there.
public struct JSONWriter: Sendable {
  /// The text so far, UTF-8.
  public private(set) var bytes: [UInt8] = []
  private let indentation: Int
  private var depth = 0

  /// A writer; with an indentation above 0, one member or element per line.
  public init(indentation: Int = 0) { self.indentation = indentation }

  /// The text of one value.
  public static func text(_ value: JSONValue, indentation: Int = 0) -> String {
    var writer = JSONWriter(indentation: indentation)
    writer.write(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Appends one value.
  public mutating func write(_ value: JSONValue) {
    switch value {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let truth): bytes.append(contentsOf: (truth ? "true" : "false").utf8)
    case .integer(let number): bytes.append(contentsOf: String(number).utf8)
    // JSON has no NaN and no infinity (RFC 8259, section 6).
    case .double(let number): bytes.append(contentsOf: (number.isFinite ? "\(number)" : "null").utf8)
    case .string(let text): write(string: text)
    case .array(let elements):
      open(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        separate(index)
        write(element)
      }
      close(UInt8(ascii: "]"), empty: elements.isEmpty)
    case .object(let members):
      open(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        separate(index)
        write(string: member.name)
        bytes.append(UInt8(ascii: ":"))
        if indentation > 0 { bytes.append(UInt8(ascii: " ")) }
        write(member.value)
      }
      close(UInt8(ascii: "}"), empty: members.isEmpty)
    }
  }

  /// Appends one string with its quotes.
  public mutating func write(string: String) {
    bytes.append(UInt8(ascii: "\""))
    // Most text is ASCII that stands for itself.
    if string.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x5c }) {
      bytes.append(contentsOf: string.utf8)
      bytes.append(UInt8(ascii: "\""))
      return
    }
    for scalar in string.unicodeScalars {
      switch scalar.value {
      case 0x22: bytes.append(contentsOf: #"\""#.utf8)
      case 0x5c: bytes.append(contentsOf: #"\\"#.utf8)
      case 0x0a: bytes.append(contentsOf: #"\n"#.utf8)
      case 0x0d: bytes.append(contentsOf: #"\r"#.utf8)
      case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
      case 0..<0x20, 0x7f, 0x2028, 0x2029: escape(scalar.value)
      default: bytes.append(contentsOf: String(Character(scalar)).utf8)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ value: UInt32) {
    bytes.append(contentsOf: #"\u"#.utf8)
    for shift in [12, 8, 4, 0] as [UInt32] {
      let nibble = UInt8(truncatingIfNeeded: value >> shift) & 0xf
      bytes.append(nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10)
    }
  }

  private mutating func open(_ bracket: UInt8) {
    bytes.append(bracket)
    depth += 1
  }

  private mutating func separate(_ index: Int) {
    if index > 0 { bytes.append(UInt8(ascii: ",")) }
    newLine()
  }

  private mutating func close(_ bracket: UInt8, empty: Bool) {
    depth -= 1
    if !empty { newLine() }
    bytes.append(bracket)
  }

  private mutating func newLine() {
    guard indentation > 0 else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indentation * depth))
  }
}
