/// Reads the path and the query of a URL into its subject.
enum PathReader {
  private static let upperDigits: StaticString = "0123456789ABCDEF"

  /// Reads from `i` to the end or the fragment and leaves `i` there.
  ///
  /// The subject has room for three times the bytes: its owner has checked that, so this writes through its base.
  @inline(__always)
  static func read(
    _ p: Bytes, _ i: inout Int, _ count: Int, _ fragment: FragmentPolicy, _ subject: inout OutputBuffer,
    _ url: inout CanonicalURL
  ) -> TargetFault? {
    let classes = ByteClass.table
    let pathStart = i
    var stop = ByteClass.pathStop
    url.pathLength = -1
    while true {
      let runStart = i
      while i < count, classes[Int(p[i])] & stop == 0 { i &+= 1 }
      copyShort(p + runStart, to: subject.base + subject.count, i &- runStart)
      subject.count &+= i &- runStart
      guard i < count else { break }
      let byte = p[i]
      if byte <= Octet.space || byte == Octet.delete { return .forbiddenByte }
      if byte == Octet.numberSign {
        if fragment == .refuse { return .fragment }
        // What is cut must still be made of bytes that may be sent.
        guard ByteScan.endOfTarget(p, i, count) == count else { return .forbiddenByte }
        break
      }
      if byte >= 0x80 {
        subject.base[subject.count] = Octet.percent
        subject.base[subject.count &+ 1] = upperDigits.utf8Start[Int(byte >> 4)]
        subject.base[subject.count &+ 2] = upperDigits.utf8Start[Int(byte & 15)]
        subject.count &+= 3
        i &+= 1
        continue
      }
      if stop == ByteClass.pathStop {
        if byte == Octet.questionMark {
          url.pathLength = subject.count &- url.originLength
          stop = ByteClass.queryStop
        } else if byte == Octet.backslash {
          url.isAmbiguous = true
        } else if i > pathStart, followsSeparator(p, i, pathStart), isDotSegment(p, i, count) {
          url.isAmbiguous = true
        }
      }
      subject.base[subject.count] = byte
      subject.count &+= 1
      i &+= 1
    }
    if url.pathLength < 0 { url.pathLength = subject.count &- url.originLength }
    return nil
  }

  /// Whether a segment begins at `i`: behind `/`, and for servers that undo escapes first, behind `%2f` and `%5c`.
  @inline(__always)
  private static func followsSeparator(_ p: Bytes, _ i: Int, _ pathStart: Int) -> Bool {
    if p[i &- 1] == Octet.slash { return true }
    return i &- pathStart > 3 && isEscapedSeparator(p, i &- 3)
  }

  /// Whether `%2f` or `%5c` stands at `i`, where three bytes are.
  @inline(__always)
  private static func isEscapedSeparator(_ p: Bytes, _ i: Int) -> Bool {
    guard p[i] == Octet.percent else { return false }
    let low = p[i &+ 2] | 0x20
    return p[i &+ 1] == 0x32 && low == 0x66 || p[i &+ 1] == 0x35 && low == 0x63
  }

  /// Whether the segment that begins at `start` is `.` or `..`, each dot plain or as `%2e`, or is one for servers that
  /// undo escapes first or cut a parameter off: before `;`, `%2f` and `%5c`.
  @inline(never)
  private static func isDotSegment(_ p: Bytes, _ start: Int, _ count: Int) -> Bool {
    var i = start
    var dots = 0
    while i < count, dots < 3 {
      if p[i] == Octet.dot {
        i &+= 1
      } else if count &- i >= 3, p[i] == Octet.percent, p[i &+ 1] == 0x32, p[i &+ 2] | 0x20 == 0x65 {
        i &+= 3
      } else {
        break
      }
      dots &+= 1
    }
    guard dots == 1 || dots == 2 else { return false }
    guard i < count else { return true }
    switch p[i] {
    case Octet.slash, Octet.questionMark, Octet.numberSign, Octet.backslash, Octet.semicolon: return true
    case Octet.percent: return count &- i >= 3 && isEscapedSeparator(p, i)
    default: return false
    }
  }
}
