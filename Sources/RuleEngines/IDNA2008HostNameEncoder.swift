import CIDN2
public import URLRules

/// Internationalized host names by libidn2 (IDNA 2008, with the mapping of UTS #46, non-transitional).
public struct IDNA2008HostNameEncoder: HostNameEncoder {
  /// An encoder; every instance is the same one.
  public init() {}

  /// The A-label form in lower case, nil when a label breaks IDNA's rules.
  public func asciiHost(_ host: String) -> String? {
    // The mapping would turn other separators and characters into the delimiters of a URL.
    guard !host.utf8.contains(0) else { return nil }
    // A pointer, because libidn2 allocates its answer; freed below.
    var output: UnsafeMutablePointer<CChar>?
    let flags = CInt(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    let result = idn2_to_ascii_8z(host, &output, flags)
    guard let output else { return nil }
    defer { idn2_free(output) }
    guard result == IDN2_OK.rawValue else { return nil }
    let ascii = String(cString: output).lowercased()
    let isHost = ascii.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return isHost && !ascii.isEmpty ? ascii : nil
  }
}
