extension OutboundResponse {
  /// The answer on one line for an operator: its status, and the first words of its body unless that is a page.
  package var summary: String {
    guard !body.isEmpty, body.first != UInt8(ascii: "<") else { return "status \(status)" }
    return "status \(status): \(Self.printable(body))"
  }

  /// The beginning of the first line of a text that somebody else wrote, harmless to print.
  package static func printable(_ bytes: some Sequence<UInt8>) -> String {
    let line = bytes.prefix(120).prefix { $0 != 0x0a && $0 != 0x0d }
    return String(decoding: line.map { (0x20..<0x7f).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
