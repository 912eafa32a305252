import HTTPWire
import TestKit

/// What a chunked stream made of a message that came in pieces.
struct ChunkedRun: Equatable {
  var output: [UInt8] = []
  var consumed = 0
  var payload: Int64 = 0
  var fault: WireFault?
  var isFinished = false
  /// Everything the receiver gets: the output and, at the end, the trailer section.
  var sent: String { String(decoding: output, as: UTF8.self) }

  /// Runs the pieces through one stream; each lies against a page that must not be touched.
  init(
    _ pieces: [[UInt8]], output kind: ChunkedStream.Output = .chunked, limits: ChunkLimits = .default,
    dropping names: [String] = []
  ) throws {
    var stream = ChunkedStream(
      output: kind, limits: limits, trailers: TrailerFilter(dropping: names.map { Array($0.utf8) }))
    for piece in pieces {
      let (result, bytes) = try GuardedBytes.with(piece) { guarded in
        let result = stream.process(guarded.start, guarded.count)
        return (result, Array(UnsafeBufferPointer(start: guarded.start, count: result.produced)))
      }
      output += bytes
      consumed += result.consumed
      fault = result.fault
      guard result.fault == nil, result.consumed == piece.count else { break }
    }
    payload = stream.payloadBytes
    isFinished = stream.isFinished
    if isFinished { output += stream.trailerSection }
  }

  init(
    _ text: String, output: ChunkedStream.Output = .chunked, limits: ChunkLimits = .default, dropping: [String] = []
  ) throws {
    try self.init([message(text)], output: output, limits: limits, dropping: dropping)
  }
}
