/// The text of an IPv6 address (RFC 3986, section 3.2.2; RFC 4291, section 2.2), without a zone.
///
/// A host in brackets that is no address must not get as far as a resolver, which might look it up as a name.
enum IPv6Syntax {
  /// Whether the bytes from `start` up to `end` are an address.
  static func isAddress(_ p: Bytes, _ start: Int, _ end: Int) -> Bool {
    var i = start
    var groups = 0
    var isCompressed = false
    if i < end, p[i] == Octet.colon {
      guard i &+ 1 < end, p[i &+ 1] == Octet.colon else { return false }
      isCompressed = true
      i &+= 2
    }
    while i < end {
      let groupStart = i
      while i < end, Octet.hexadecimalValue(p[i]) < 16 { i &+= 1 }
      if i < end, p[i] == Octet.dot {
        guard isIPv4Address(p, groupStart, end) else { return false }
        groups &+= 2
        break
      }
      guard i > groupStart, i &- groupStart <= 4 else { return false }
      groups &+= 1
      guard i < end else { break }
      guard p[i] == Octet.colon, i &+ 1 < end else { return false }
      i &+= 1
      if p[i] == Octet.colon {
        guard !isCompressed else { return false }
        isCompressed = true
        i &+= 1
      }
    }
    return isCompressed ? groups < 8 : groups == 8
  }

  /// Four numbers from 0 to 255 without leading zeros.
  private static func isIPv4Address(_ p: Bytes, _ start: Int, _ end: Int) -> Bool {
    var i = start
    var numbers = 0
    while true {
      let numberStart = i
      var number = 0
      while i < end, Octet.isDigit(p[i]), i &- numberStart < 3 {
        number = number &* 10 &+ Int(p[i] &- Octet.zero)
        i &+= 1
      }
      guard i > numberStart, number <= 255, i &- numberStart == 1 || p[numberStart] != Octet.zero else { return false }
      numbers &+= 1
      guard i < end else { return numbers == 4 }
      guard p[i] == Octet.dot, numbers < 4 else { return false }
      i &+= 1
    }
  }
}
