import Effects

/// One JSON object, written member by member into memory that is there already: for what is written once per request.
///
/// Strings are escaped as by `JSONWriter`: beside what RFC 8259 asks, DEL, U+2028 and U+2029, so that an object is one
/// line for every reader.
///
/// It holds unsafe pointers because appending to an array asks at each byte whether the array is shared and large enough,
/// which cost more than the writing. Every write goes through `reserve`, which refuses what does not fit.
struct JSONLine: ~Copyable {
  /// The name of a member: one of ours, which needs no escapes.
  struct Key: ExpressibleByStringLiteral {
    fileprivate let name: StaticString

    init(stringLiteral name: StaticString) { self.name = name }
  }

  private let start: UnsafeMutablePointer<UInt8>
  private var next: UnsafeMutablePointer<UInt8>
  private let end: UnsafeMutablePointer<UInt8>
  /// Something did not fit.
  private var isCut = false

  private init(_ buffer: UnsafeMutableBufferPointer<UInt8>, at start: UnsafeMutablePointer<UInt8>) {
    self.start = start
    next = start
    end = start + buffer.count
  }

  /// Writes into the array, which is made larger if need be, and returns the length of what was written.
  static func write(into memory: inout [UInt8], _ body: (inout JSONLine) -> Void) -> Int {
    while true {
      let length = memory.withUnsafeMutableBufferPointer { buffer -> Int? in
        guard let start = buffer.baseAddress else { return nil }
        var line = JSONLine(buffer, at: start)
        line.append(UInt8(ascii: "{"))
        body(&line)
        return line.isCut ? nil : line.next - line.start
      }
      if let length { return length }
      memory += [UInt8](repeating: 0, count: max(512, memory.count))
    }
  }

  /// The object as an array of its own.
  static func bytes(_ body: (inout JSONLine) -> Void) -> [UInt8] {
    var memory: [UInt8] = []
    let length = write(into: &memory, body)
    return Array(memory[..<length])
  }

  /// Ends the object.
  mutating func close() { append(UInt8(ascii: "}")) }

  /// Ends the line.
  mutating func endLine() { append(UInt8(ascii: "\n")) }

  mutating func member(_ key: Key, _ value: String) {
    var value = value
    value.withUTF8 { member(key, UnsafeRawBufferPointer($0)) }
  }

  /// Text that is to be UTF-8; what is not is replaced by U+FFFD.
  mutating func member(_ key: Key, _ value: UnsafeRawBufferPointer) {
    begin(key)
    append(string: value)
  }

  /// A value that is known to need no escapes: a UUID, a token, one of our own words.
  mutating func member(_ key: Key, plain value: String) {
    begin(key)
    append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    append(UInt8(ascii: "\""))
  }

  /// The same, as bytes.
  mutating func member(_ key: Key, plain value: [UInt8]) {
    begin(key)
    append(UInt8(ascii: "\""))
    value.withUnsafeBytes { append($0) }
    append(UInt8(ascii: "\""))
  }

  mutating func member(_ key: Key, _ value: Int64) {
    begin(key)
    append(decimal: value)
  }

  mutating func member(_ key: Key, _ value: Bool) {
    begin(key)
    append(value ? "true" : "false")
  }

  mutating func member(_ key: Key, _ values: [String]) {
    begin(key)
    append(UInt8(ascii: "["))
    for (index, value) in values.enumerated() {
      if index > 0 { append(UInt8(ascii: ",")) }
      var value = value
      value.withUTF8 { append(string: UnsafeRawBufferPointer($0)) }
    }
    append(UInt8(ascii: "]"))
  }

  /// A moment, as RFC 3339 text.
  mutating func member(_ key: Key, momentMilliseconds: Int64) {
    var text: [UInt8] = []
    Timestamp.append(millisecondsSinceEpoch: momentMilliseconds, to: &text)
    member(key, plain: text)
  }

  /// A duration as a number of milliseconds with three decimals; a negative one, which a clock cannot give, as 0.
  mutating func member(_ key: Key, durationMicroseconds: Int64) {
    begin(key)
    let (whole, part) = max(0, durationMicroseconds).quotientAndRemainder(dividingBy: 1_000)
    append(decimal: whole)
    append(UInt8(ascii: "."))
    append(digit: part / 100)
    append(digit: part / 10 % 10)
    append(digit: part % 10)
  }

  mutating func memberNull(_ key: Key) {
    begin(key)
    append("null")
  }

  /// Members that were written before, each with the comma in front of it.
  mutating func members(_ written: [UInt8]) { written.withUnsafeBytes { append($0) } }

  // MARK: Pieces

  /// Whether so many bytes can be written.
  @inline(__always)
  private mutating func reserve(_ count: Int) -> Bool {
    if end - next >= count { return true }
    isCut = true
    return false
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8) {
    guard reserve(1) else { return }
    next.pointee = byte
    next += 1
  }

  @inline(__always)
  private mutating func append(_ text: StaticString) {
    guard reserve(text.utf8CodeUnitCount) else { return }
    next.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    next += text.utf8CodeUnitCount
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, reserve(bytes.count) else { return }
    UnsafeMutableRawPointer(next).copyMemory(from: source, byteCount: bytes.count)
    next += bytes.count
  }

  @inline(__always)
  private mutating func begin(_ key: Key) {
    if next - start > 1 { append(UInt8(ascii: ",")) }
    append(UInt8(ascii: "\""))
    append(key.name)
    append(UInt8(ascii: "\""))
    append(UInt8(ascii: ":"))
  }

  private mutating func append(decimal value: Int64) {
    if value < 0 { append(UInt8(ascii: "-")) }
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

  @inline(__always)
  private mutating func append(digit: Int64) {
    append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit))
  }

  /// Most strings are URLs and tokens with nothing to escape: they are copied whole.
  private mutating func append(string: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    if mayNeedEscape(string) {
      for scalar in String(decoding: string, as: UTF8.self).unicodeScalars { append(scalar) }
    } else {
      append(string)
    }
    append(UInt8(ascii: "\""))
  }

  /// Whether anything in it is not printable ASCII, or is a quote or a backslash. Text beyond ASCII is walked through,
  /// since U+2028 and U+2029 hide in it.
  private func mayNeedEscape(_ text: UnsafeRawBufferPointer) -> Bool {
    var found: UInt8 = 0
    for byte in text {
      found |= byte &- 0x20 >= 0x5f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
    }
    return found != 0
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x22: append(#"\""#)
    case 0x5c: append(#"\\"#)
    case 0x0a: append(#"\n"#)
    case 0x0d: append(#"\r"#)
    case 0x09: append(#"\t"#)
    case 0..<0x20, 0x7f, 0x2028, 0x2029:
      append(#"\u"#)
      for shift in [12, 8, 4, 0] as [UInt32] {
        let nibble = UInt8(truncatingIfNeeded: scalar.value >> shift) & 0xf
        append(nibble < 10 ? UInt8(ascii: "0") &+ nibble : UInt8(ascii: "a") &+ nibble &- 10)
      }
    default:
      for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
    }
  }
}
