package import HTTPWire
package import URLRules

/// A part of one origin where an effect of the rules does not hold: what lies there is the backend's own endpoint, whose
/// requests bring their own tokens (contract ahoy.md, fact 9).
///
/// Servers unescape paths and take several slashes for one: what such a server may take for the part counts as in it.
package struct ReservedPath: Sendable {
  /// The effect that does not hold.
  package let effect: RuleEffects
  /// `scheme://host[:port]` as in a canonical URL.
  private let origin: [UInt8]
  /// Begins with a slash, ends without.
  private let path: [UInt8]

  /// - Parameters:
  ///   - origin: scheme, host and port as a canonical URL has them.
  ///   - path: The path; everything below it is reserved with it. Slashes at its ends do not matter.
  package init(effect: RuleEffects, origin: String, path: String) {
    self.effect = effect
    self.origin = Array(origin.utf8)
    self.path = path.split(separator: "/").flatMap { [UInt8(ascii: "/")] + Array($0.utf8) }
  }

  /// Whether the URL is, or may be, in the part.
  ///
  /// - Parameter subject: The text of the canonical URL.
  package func covers(_ subject: Bytes, _ url: CanonicalURL) -> Bool {
    guard url.originLength == origin.count else { return false }
    for index in origin.indices where subject[index] != origin[index] { return false }
    return covers(path: subject + url.originLength, url.pathLength)
  }

  private func covers(path bytes: Bytes, _ count: Int) -> Bool {
    var position = 0
    var previous: UInt8 = 0
    for expected in path {
      // The next byte as a server reads it: escapes undone, a run of slashes as one.
      var byte: UInt8
      repeat {
        guard position < count else { return false }
        byte = bytes[position]
        position += 1
        if byte == UInt8(ascii: "%"), count - position >= 2, let high = PathEscape.value(bytes[position]),
          let low = PathEscape.value(bytes[position + 1])
        {
          byte = high << 4 | low
          position += 2
        }
      } while byte == UInt8(ascii: "/") && previous == byte
      guard byte == expected else { return false }
      previous = byte
    }
    guard position < count else { return true }
    // The path itself with a suffix such as `.json`, or something below it.
    let next = bytes[position]
    return next == UInt8(ascii: "/") || next == UInt8(ascii: ".") || next == UInt8(ascii: "%")
      || next == UInt8(ascii: ";")
  }
}

/// Hexadecimal digits of an escape (RFC 3986, section 2.1).
private enum PathEscape {
  static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
