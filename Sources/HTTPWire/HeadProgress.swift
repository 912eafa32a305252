extension HeadParser {
  /// Whether bytes that came since an `incomplete` outcome can change it: whether to parse again.
  ///
  /// A head ends with a line feed and is refused for control bytes or for its size, so a parse is due when the new
  /// bytes have a control byte other than HTAB, when a limit is passed, and once per KiB. A client that sends its
  /// head byte by byte thus costs a scan of each byte and not a parse of all bytes before it. Refusals that need no
  /// control byte come at most 1 KiB late; completion is never late.
  package func isWorthParsing(_ bytes: Bytes, _ count: Int, after previous: Int) -> Bool {
    guard previous > 0, previous < count else { return previous < count }
    if count > limits.head || previous >> 10 != count >> 10 { return true }
    var i = ByteScan.endOfValueRun(bytes, previous, count)
    while i < count, bytes[i] == Octet.tab { i = ByteScan.endOfValueRun(bytes, i &+ 1, count) }
    return i < count
  }
}
