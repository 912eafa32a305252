import HTTPWire
import TestKit

/// What a stream made of a body that came in pieces.
struct ReadChunks: Equatable {
  var output: [UInt8] = []
  var consumed = 0
  var payloadBytes: Int64 = 0
  var fault: WireFault?
  var isFinished = false

  /// Each piece lies against a page that must not be touched; what the receiver gets includes the trailer section.
  init(_ pieces: [[UInt8]], _ kind: ChunkedStream.Output) throws {
    var stream = ChunkedStream(output: kind, trailers: TrailerFilter(dropping: [Array("x-nominated".utf8)]))
    for piece in pieces {
      let result = try GuardedBytes.with(piece) { guarded in
        let result = stream.process(guarded.start, guarded.count)
        try require(result.produced <= result.consumed && result.consumed <= piece.count, "\(result) of \(piece.count)")
        output += Array(UnsafeBufferPointer(start: guarded.start, count: result.produced))
        return result
      }
      consumed += result.consumed
      fault = result.fault
      try require(fault != nil || stream.isFinished || result.consumed == piece.count, "stopped without a reason")
      if fault != nil || stream.isFinished { break }
    }
    payloadBytes = stream.payloadBytes
    isFinished = stream.isFinished
    output += stream.trailerSection
  }
}

extension Property {
  /// A chunked body is taken exactly when a naive reading takes it; data alone is that data; what is passed on is
  /// itself a chunked body with the same data, has no extensions and none of the fields that never pass, and passes
  /// unchanged when it is read again.
  static let chunked = Property("chunked") { bytes in
    let naive = NaiveChunks(bytes)
    let decoded = try ReadChunks([bytes], .decoded)
    let chunked = try ReadChunks([bytes], .chunked)
    try require(decoded.fault == chunked.fault, "\(String(describing: decoded.fault)) when decoded, not \(chunked)")
    try require(decoded.consumed == chunked.consumed, "consumed \(decoded.consumed) and \(chunked.consumed)")
    try require(decoded.payloadBytes == Int64(decoded.output.count), "counted \(decoded.payloadBytes): \(decoded)")
    let isTooMuch = decoded.fault == .trailerTooLarge || decoded.fault == .chunkExtensionTooLong
    try require(decoded.isFinished == (naive != nil) || isTooMuch, "naively \(String(describing: naive)): \(decoded)")
    guard decoded.isFinished, let naive else { return }
    try require(decoded.output == naive.payload, "\(shown(decoded.output)) for \(shown(naive.payload))")
    try require(decoded.consumed == naive.length, "ended at \(decoded.consumed), naively at \(naive.length)")
    let again = try ReadChunks([chunked.output], .chunked)
    try require(again.isFinished && again.consumed == chunked.output.count, "\(shown(chunked.output)) gives \(again)")
    try require(again.output == chunked.output, "\(shown(chunked.output)) becomes \(shown(again.output))")
    guard let passed = NaiveChunks(chunked.output) else { throw Violation("passed on: \(shown(chunked.output))") }
    try require(passed.payload == naive.payload, "\(shown(passed.payload)) passed for \(shown(naive.payload))")
    try require(passed.trailers.allSatisfy(naive.trailers.contains), "a trailer was made: \(passed)")
    for line in passed.trailers {
      let name = String(decoding: NaiveGrammar.lowercased(line.prefix { $0 != 0x3a }), as: UTF8.self)
      try require(!neverInTrailers.contains(name.replacing("_", with: "-")), "\(name) passed as trailer")
    }
  }

  private static let neverInTrailers: Set = [
    "content-length", "transfer-encoding", "host", "connection", "te", "trailer", "upgrade", "authorization", "cookie",
    "set-cookie", "proxy-authorization", "cache-control", "content-encoding", "content-type", "max-forwards", "expect",
    "x-nominated",
  ]
}
