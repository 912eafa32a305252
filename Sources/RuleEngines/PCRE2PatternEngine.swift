import CPCRE2
public import URLRules

/// Regular expressions by PCRE2, compiled to machine code where the system allows it.
///
/// The contract speaks of `NSRegularExpression`, that is ICU. On the ASCII text of a canonical URL the two languages
/// agree for literals, classes, quantifiers (greedy, lazy, possessive), groups (named, atomic), alternation,
/// back-references, look-ahead, `^`, `$`, `\b`, `\d`, `\w`, `\s`, `\Q…\E` and inline flags. They differ here:
///
/// - Look-behind: ICU takes any bounded length, PCRE2 wants each alternative of fixed length. Others are refused.
/// - Sets: ICU reads `[a[bc]]`, `[a-z&&[^b]]`, `[a-z--[b]]` as set operations, PCRE2 as plain characters. They compile
///   and get a warning.
/// - `\uHHHH`, `\UHHHHHHHH`, `\N{NAME}`: ICU only; refused.
/// - `\C` and verbs such as `(*ACCEPT)`: PCRE2 only, errors in ICU; refused.
/// - `\w`, `\d`, `\b` and `(?i)`: Unicode in ICU, ASCII here. The subject is ASCII, so it shows only where a pattern has
///   letters that case folding maps to ASCII, such as the Kelvin sign.
/// - Recursion, conditionals and `\K` are PCRE2 only and allowed; every limit holds for them.
/// - A search that would take too long ends as no match in both, after 0.5 s in ICU and after less than 1 ms here.
public struct PCRE2PatternEngine: PatternEngine {
  /// The longest pattern, in bytes.
  public static let longestPattern = 8192

  /// Whether patterns become machine code. The system can forbid that (`MemoryDenyWriteExecute` of systemd); patterns
  /// are then interpreted, with the same results and about five times slower.
  public let jitAvailable: Bool

  /// The version of PCRE2 in use, without its date.
  package static var libraryVersion: String {
    var text = [CChar](repeating: 0, count: 64)
    guard pcre2_config_8(UInt32(PCRE2_CONFIG_VERSION), &text) > 0 else { return "" }
    return String(decoding: text.prefix { $0 != 0 && $0 != 0x20 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// An engine; whether machine code is possible is tried here.
  public init() { self.init(allowsJIT: true) }

  /// An engine that interprets its patterns if told so, as on a system that forbids machine code.
  package init(allowsJIT: Bool) { jitAvailable = allowsJIT && Self.canCompileToMachineCode() }

  /// Compiles one pattern: case-sensitive, no options.
  public func compile(_ pattern: String) throws(PatternError) -> any CompiledPattern {
    let bytes = Array(pattern.utf8)
    guard bytes.count <= Self.longestPattern else {
      throw PatternError(.tooLarge, "the pattern has \(bytes.count) bytes, more than \(Self.longestPattern)")
    }
    if let offset = Self.firstVerb(bytes) {
      throw PatternError(.unsupported, "verbs such as (*ACCEPT) are not supported", offset: offset)
    }
    var options = PCRE2_USE_OFFSET_LIMIT | PCRE2_NEVER_BACKSLASH_C
    if bytes.contains(where: { $0 >= 0x80 }) || pattern.contains("\\x{") { options |= PCRE2_UTF }
    var code: CInt = 0
    var offset = 0
    guard let compiled = pcre2_compile_8(bytes, bytes.count, options, &code, &offset, nil) else {
      // ICU has no such escapes either; the pattern itself may be fine.
      let kind: PatternError.Code = code == PCRE2_ERROR_BACKSLASH_C_CALLER_DISABLED ? .unsupported : .syntax
      throw PatternError(kind, Self.message(code), offset: offset)
    }
    let isJIT = jitAvailable && pcre2_jit_compile_8(compiled, UInt32(PCRE2_JIT_COMPLETE)) == 0
    return PCRE2Pattern(takingOwnership: compiled, isJIT: isJIT)
  }

  /// The index of a `(*`, which begins a verb and nothing else.
  private static func firstVerb(_ bytes: [UInt8]) -> Int? {
    var found: Int?
    PatternScanner.forEachBareByte(bytes) { index in
      if found == nil, bytes[index] == UInt8(ascii: "("), index + 1 < bytes.count,
        bytes[index + 1] == UInt8(ascii: "*")
      {
        found = index
      }
    }
    return found
  }

  private static func message(_ code: CInt) -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let length = pcre2_get_error_message_8(code, &buffer, buffer.count)
    return length > 0 ? String(decoding: buffer.prefix(Int(length)), as: UTF8.self) : "PCRE2 error \(code)"
  }

  private static func canCompileToMachineCode() -> Bool {
    var supported: UInt32 = 0
    guard pcre2_config_8(UInt32(PCRE2_CONFIG_JIT), &supported) >= 0, supported == 1 else { return false }
    var code: CInt = 0
    var offset = 0
    guard let probe = pcre2_compile_8([UInt8(ascii: "a")], 1, 0, &code, &offset, nil) else { return false }
    defer { pcre2_code_free_8(probe) }
    return pcre2_jit_compile_8(probe, UInt32(PCRE2_JIT_COMPLETE)) == 0
  }
}
