/// The trailer section of a chunked body: read line by line, filtered, kept for sending.
///
/// Trailers are rare, so this keeps its own copy and need not be fast.
struct TrailerSection {
  /// The most field lines.
  static let mostLines = 100

  /// The lines that pass, each with its CRLF, and at the end the empty line.
  private(set) var section: [UInt8] = []
  /// No line was seen.
  var isEmpty: Bool { size == 0 }

  private let filter: TrailerFilter
  private let limit: Int
  private var line: [UInt8] = []
  private var size = 0
  private var lines = 0

  init(limit: Int, filter: TrailerFilter) {
    self.limit = limit
    self.filter = filter
  }

  /// Takes in one byte of a line.
  mutating func append(_ byte: UInt8) -> WireFault? {
    // The line's CRLF and the final one must still fit.
    guard size < limit &- 4 else { return .trailerTooLarge }
    guard byte >= Octet.space && byte != Octet.delete || byte == Octet.tab else { return .malformedTrailer }
    size &+= 1
    line.append(byte)
    return nil
  }

  /// Ends a line that has at least one byte: checks it and keeps it unless its name is one to drop.
  mutating func endLine() -> WireFault? {
    defer { line.removeAll(keepingCapacity: true) }
    size &+= 2
    lines &+= 1
    guard lines <= TrailerSection.mostLines else { return .trailerTooLarge }
    guard let colon = line.firstIndex(of: Octet.colon), colon > 0,
      line[..<colon].allSatisfy({ ByteClass.has(ByteClass.token, $0) })
    else { return .malformedTrailer }
    guard filter.passes(line[..<colon]) else { return nil }
    section += line
    section += [Octet.carriageReturn, Octet.lineFeed]
    return nil
  }

  /// Ends the section with its empty line.
  mutating func endSection() {
    section += [Octet.carriageReturn, Octet.lineFeed]
  }
}
