import Effects

/// One JSON object as bytes, built member by member without a tree of values: for what is written once per request.
///
/// Strings are escaped as by `JSONWriter`: beside what RFC 8259 asks, DEL, U+2028 and U+2029, so that an object is one
/// line for every reader.
struct JSONLine {
  /// The name of a member, ready to be written: names are ours and need no escapes.
  struct Key: Sendable, ExpressibleByStringLiteral {
    fileprivate let bytes: [UInt8]

    init(stringLiteral name: String) { bytes = Array("\"\(name)\":".utf8) }
  }

  private(set) var bytes: [UInt8] = []

  init(capacity: Int) {
    bytes.reserveCapacity(capacity)
    bytes.append(UInt8(ascii: "{"))
  }

  /// Ends the object.
  mutating func close() { bytes.append(UInt8(ascii: "}")) }

  /// Ends the line.
  mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

  mutating func member(_ key: Key, _ value: String) {
    start(key)
    append(string: value)
  }

  /// A value that is known to need no escapes: a UUID, a token, one of our own words.
  mutating func member(_ key: Key, plain value: String) {
    start(key)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: value.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  mutating func member(_ key: Key, _ value: Int64) {
    start(key)
    append(decimal: value)
  }

  mutating func member(_ key: Key, _ value: Bool) {
    start(key)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  mutating func member(_ key: Key, _ values: [String]) {
    start(key)
    bytes.append(UInt8(ascii: "["))
    var isFirst = true
    for value in values {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      append(string: value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// A moment, as RFC 3339 text.
  mutating func member(_ key: Key, momentMilliseconds: Int64) {
    start(key)
    bytes.append(UInt8(ascii: "\""))
    Timestamp.append(millisecondsSinceEpoch: momentMilliseconds, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// A duration as a number of milliseconds with three decimals; a negative one, which a clock cannot give, as 0.
  mutating func member(_ key: Key, durationMicroseconds: Int64) {
    start(key)
    let (whole, part) = max(0, durationMicroseconds).quotientAndRemainder(dividingBy: 1_000)
    append(decimal: whole)
    bytes.append(UInt8(ascii: "."))
    append(digit: part / 100)
    append(digit: part / 10 % 10)
    append(digit: part % 10)
  }

  mutating func memberNull(_ key: Key) {
    start(key)
    bytes.append(contentsOf: "null".utf8)
  }

  private mutating func start(_ key: Key) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(contentsOf: key.bytes)
  }

  private mutating func append(decimal value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    // Few digits first, because their divisors are constants, by which a processor need not divide.
    if magnitude >= 1000 {
      append(decimal: Int64(magnitude / 1000))
      let rest = Int64(magnitude % 1000)
      append(digit: rest / 100)
      append(digit: rest / 10 % 10)
      append(digit: rest % 10)
    } else {
      let rest = Int64(magnitude)
      if rest >= 100 { append(digit: rest / 100) }
      if rest >= 10 { append(digit: rest / 10 % 10) }
      append(digit: rest % 10)
    }
  }

  private mutating func append(digit: Int64) {
    bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
  }

  /// Most strings are URLs and tokens with nothing to escape: they are copied whole.
  private mutating func append(string: String) {
    bytes.append(UInt8(ascii: "\""))
    if mayNeedEscape(string.utf8) {
      for scalar in string.unicodeScalars { append(scalar) }
    } else {
      bytes.append(contentsOf: string.utf8)
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Whether anything in it is not printable ASCII, or is a quote or a backslash. Text beyond ASCII is walked through,
  /// since U+2028 and U+2029 hide in it.
  private func mayNeedEscape(_ text: String.UTF8View) -> Bool {
    var found: UInt8 = 0
    let bytes = text.span
    for index in bytes.indices {
      let byte = bytes[index]
      found |= byte &- 0x20 >= 0x5f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
    }
    return found != 0
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x22: bytes.append(contentsOf: #"\""#.utf8)
    case 0x5c: bytes.append(contentsOf: #"\\"#.utf8)
    case 0x0a: bytes.append(contentsOf: #"\n"#.utf8)
    case 0x0d: bytes.append(contentsOf: #"\r"#.utf8)
    case 0x09: bytes.append(contentsOf: #"\t"#.utf8)
    case 0..<0x20, 0x7f, 0x2028, 0x2029:
      bytes.append(contentsOf: #"\u"#.utf8)
      for shift in [12, 8, 4, 0] as [UInt32] {
        let nibble = UInt8(truncatingIfNeeded: scalar.value >> shift) & 0xf
        bytes.append(nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &+ nibble &- 10)
      }
    default: bytes.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
    }
  }
}
