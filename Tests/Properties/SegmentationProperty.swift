import HTTPWire
import TestKit

extension Property {
  /// The first eight bytes choose where the rest is cut; cut or whole, the same message is read: head, and body when it
  /// is chunked.
  static let segmentation = Property("segmentation") { bytes in
    guard bytes.count > 8 else { return }
    var random = SeededGenerator(seed: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    let message = Array(bytes.dropFirst(8))
    let pieces = SplitFeeder.randomPieces(of: message, using: &random)
    for limits in [HeadLimits(), HeadLimits(requestLine: 24, head: 60, fields: 2)] {
      let parser = HeadParser(limits: limits)
      try requireOneReading(message, pieces, parser) { try ReadHead.request($0, parser) }
      try requireOneReading(message, pieces, parser) { try ReadHead.response($0, parser) }
    }
    guard let head = try ReadHead.request(message).head, head.isChunked else { return }
    let body = Array(message[head.length...])
    for kind in [ChunkedStream.Output.chunked, .decoded] {
      let whole = try ReadChunks([body], kind)
      let cut = try ReadChunks(SplitFeeder.randomPieces(of: body, using: &random), kind)
      try require(whole == cut, "in pieces \(cut), whole \(whole)")
      let single = try ReadChunks(body.map { [$0] }, kind)
      try require(whole == single, "byte by byte \(single), whole \(whole)")
    }
  }
}

/// Parses as a connection does: again when more bytes have come and that may change the outcome.
private func requireOneReading(
  _ message: [UInt8], _ pieces: [[UInt8]], _ parser: HeadParser, _ read: ([UInt8]) throws -> ReadHead.Reading
) throws {
  let whole = try read(message)
  var seen = 0
  var parsed = 0
  for piece in pieces {
    seen += piece.count
    let part = Array(message[..<seen])
    let isWorthIt = try GuardedBytes.with(part) { guarded in
      parser.isWorthParsing(UnsafePointer(guarded.start), guarded.count, after: parsed)
    }
    let reading = try read(part)
    switch reading.outcome {
    case .incomplete: try require(whole.outcome != .complete || seen < (whole.head?.length ?? 0), "complete too late")
    case .refused, .complete:
      try require(reading == whole, "after \(seen) bytes \(reading), whole \(whole)")
      try require(reading.outcome != .complete || isWorthIt, "completion at \(seen) was not worth a parse")
      return
    }
    parsed = seen
  }
  try require(whole.outcome == .incomplete, "in pieces incomplete, whole \(whole)")
}
