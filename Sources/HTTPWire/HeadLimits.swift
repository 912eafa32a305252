/// How much a message head may hold before it is refused.
package struct HeadLimits: Sendable, Hashable {
  /// Bytes of a request line without its CRLF; a longer one is `targetTooLong`.
  package var requestLine: Int
  /// Bytes of a whole head: leading empty lines, start line, fields and the final empty line.
  package var head: Int
  /// Field lines.
  package var fields: Int

  /// The defaults are 8 KiB, 64 KiB and 100. A negative number counts as 0.
  package init(requestLine: Int = 8192, head: Int = 65536, fields: Int = 100) {
    // Offsets in a field line are 32 bits wide, and sums of limits and offsets must not overflow.
    self.requestLine = min(max(requestLine, 0), Int(Int32.max))
    self.head = min(max(head, 0), Int(Int32.max))
    self.fields = min(max(fields, 0), 65536)
  }
}

/// What a parser found in the bytes it was given.
package enum ParseOutcome: Sendable, Equatable {
  /// The head is complete; its length says where the body begins.
  case complete
  /// All bytes are good so far and more are needed: call again with the same bytes and those that follow.
  case incomplete
  /// No continuation of these bytes would be accepted.
  case refused(WireFault)
}
