/// Text that every match of a pattern must contain, read off the pattern's source.
///
/// The law of this file: when in doubt, know nothing. A literal reported here that a match can do without would hide
/// that match; a literal missed here costs a few nanoseconds.
struct PatternLiterals: Sendable, Equatable {
  /// The subject starts with this text in every match; empty when that is not known.
  var anchoredPrefix: [UInt8] = []
  /// The subject contains each of these in every match, if need be with other letters in capitals.
  var required: [[UInt8]] = []

  /// Reads a pattern in the syntax that Perl, ICU and PCRE2 share.
  static func read(_ pattern: String) -> PatternLiterals {
    // Labels of a prefix tree hold no more; engines refuse such patterns.
    guard pattern.utf8.count <= 8192 else { return PatternLiterals() }
    // The one flag that people use, at the one place where they put it.
    let ignoresCase = pattern.hasPrefix("(?i)")
    var reader = Reader(bytes: Array(pattern.utf8.dropFirst(ignoresCase ? 4 : 0)))
    guard reader.readSequence() else { return PatternLiterals() }
    reader.endRun()
    if ignoresCase { reader.literals.anchoredPrefix = [] }
    return reader.literals
  }

  private struct Reader {
    var bytes: [UInt8]
    var position = 0
    var literals = PatternLiterals()
    var run: [UInt8] = []
    /// Nothing but the anchor and literal characters has been read so far.
    var isAnchoredRun = false

    init(bytes: [UInt8]) { self.bytes = bytes }

    func peek(_ distance: Int = 0) -> UInt8 {
      position + distance < bytes.count ? bytes[position + distance] : 0
    }

    mutating func endRun() {
      if isAnchoredRun { literals.anchoredPrefix = run }
      isAnchoredRun = false
      if run.count > 1 { literals.required.append(run) }
      run = []
    }

    /// The last character read may be absent or repeated, so it belongs to no run.
    mutating func dropLast() {
      if !run.isEmpty { run.removeLast() }
      endRun()
    }

    /// Reads to the end of the pattern; false when something was met that may make any literal optional.
    mutating func readSequence() -> Bool {
      if peek() == UInt8(ascii: "^") {
        position = 1
        isAnchoredRun = true
        if "*+?{".utf8.contains(peek()) { return false }
      }
      while position < bytes.count {
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "|"): return false
        case UInt8(ascii: "*"), UInt8(ascii: "?"):
          dropLast()
          position += 1
        case UInt8(ascii: "+"):
          // Once or more often: the character stays, but what follows need not stand beside it.
          endRun()
          position += 1
        case UInt8(ascii: "{"):
          dropLast()
          // Without a count inside, the braces are text, and the text may hold anything.
          guard let close = bytes[position...].firstIndex(of: UInt8(ascii: "}")),
            bytes[(position + 1)..<close].allSatisfy({ "0123456789,".utf8.contains($0) })
          else { return false }
          position = close + 1
        case UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "$"):
          endRun()
          position += 1
        case UInt8(ascii: "["):
          endRun()
          guard let end = PatternScanner.endOfClass(bytes, position) else { return false }
          position = end
        case UInt8(ascii: "("):
          endRun()
          guard skipGroup() else { return false }
        case UInt8(ascii: "\\"):
          guard readEscape() else { return false }
        case 0x21...0x7e:
          run.append(byte)
          position += 1
        default: return false
        }
      }
      return true
    }

    mutating func readEscape() -> Bool {
      let escaped = peek(1)
      switch escaped {
      case UInt8(ascii: "d"), UInt8(ascii: "D"), UInt8(ascii: "w"), UInt8(ascii: "W"), UInt8(ascii: "s"),
        UInt8(ascii: "S"), UInt8(ascii: "b"), UInt8(ascii: "B"), UInt8(ascii: "Z"), UInt8(ascii: "z"):
        endRun()
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), 0...0x20, 0x7f...0xff:
        return false
      default: run.append(escaped)
      }
      position += 2
      return true
    }

    /// Moves behind the group that begins here; false for one that changes more than itself.
    mutating func skipGroup() -> Bool {
      var depth = 0
      while position < bytes.count {
        switch bytes[position] {
        case UInt8(ascii: "("):
          if peek(1) == UInt8(ascii: "*") { return false }
          // Flags, comments, conditions, recursion and branch reset are not looked into.
          if peek(1) == UInt8(ascii: "?"), !":=!<>P".utf8.contains(peek(2)) { return false }
          depth += 1
          position += 1
        case UInt8(ascii: ")"):
          depth -= 1
          position += 1
          if depth == 0 { return true }
        case UInt8(ascii: "["):
          guard let end = PatternScanner.endOfClass(bytes, position) else { return false }
          position = end
        case UInt8(ascii: "\\"):
          if peek(1) == UInt8(ascii: "Q") { return false }
          position += 2
        default: position += 1
        }
      }
      return false
    }
  }
}
