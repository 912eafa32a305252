/// The members of a comma-separated field value, without the white space around them; empty ones are left out
/// (RFC 9110, section 5.6.1).
///
/// Commas inside quoted strings are not told apart: the fields read with it hold tokens only.
package struct ListMembers {
  private let bytes: Bytes
  private let end: Int
  private var next: Int

  /// The members of the `length` bytes from `start` on.
  package init(_ bytes: Bytes, _ start: Int, _ length: Int) {
    self.bytes = bytes
    next = start
    end = start &+ length
  }

  /// The next member, or nil after the last.
  package mutating func nextMember() -> (start: Int, length: Int)? {
    while next < end {
      var start = next
      while next < end, bytes[next] != Octet.comma { next &+= 1 }
      var stop = next
      next &+= 1
      while start < stop, Octet.isWhitespace(bytes[start]) { start &+= 1 }
      while stop > start, Octet.isWhitespace(bytes[stop &- 1]) { stop &-= 1 }
      if stop > start { return (start, stop &- start) }
    }
    return nil
  }
}
