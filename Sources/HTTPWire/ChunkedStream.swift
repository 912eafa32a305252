/// Bounds on what a chunked body may carry beside its data.
package struct ChunkLimits: Sendable, Hashable {
  /// Bytes after the size of one chunk, up to its CRLF. All of them together may exceed the data by as much: a body
  /// cannot consist of extensions.
  package var extensions: Int
  /// Bytes of the trailer section, with its final empty line.
  package var trailers: Int

  /// 4 KiB of extensions, 16 KiB of trailers. A negative number counts as 0.
  package init(extensions: Int = 4096, trailers: Int = 16384) {
    self.extensions = max(extensions, 0)
    self.trailers = max(trailers, 0)
  }

  package static let `default` = ChunkLimits()
}

/// Follows a body in the chunked transfer coding and cleans it in place (RFC 9112, section 7.1).
///
/// Extensions are dropped, trailer fields are filtered, sizes and line ends are held to the grammar. Nothing is ever
/// added, so the output lies at the start of the buffer that held the input; as long as there was nothing to remove
/// it is the input, unmoved.
///
/// Each state waits for what its name says; a byte that is not that ends the message with a fault:
/// size (first digit) -> digits -> [padding ->] [extension ->] size line feed -> data -> data CR -> data LF -> size
/// ..., and after a size of 0: trailer start -> [trailer line -> trailer line feed -> trailer start ...] -> final line
/// feed -> finished.
package struct ChunkedStream {
  /// What the receiver is to get.
  package enum Output: Sendable {
    /// The chunked coding, for a peer that speaks HTTP/1.1.
    case chunked
    /// The data alone, for one that does not; the end of the connection ends it.
    case decoded
  }

  /// What a call did with the bytes it was given.
  package struct Result: Sendable, Equatable {
    /// Input bytes that are done with; after the end of the message fewer than were given.
    package var consumed: Int
    /// Output bytes, which lie at the start of the buffer.
    package var produced: Int
    /// What is wrong with the next byte. The output before it is still good.
    package var fault: WireFault?

    package init(consumed: Int, produced: Int, fault: WireFault?) {
      self.consumed = consumed
      self.produced = produced
      self.fault = fault
    }
  }

  private enum State: UInt8 {
    case size, digits, padding, extensions, sizeLineFeed, data, dataCarriageReturn, dataLineFeed
    case trailerStart, trailerLine, trailerLineFeed, finalLineFeed, finished
  }

  private let output: Output
  private let limits: ChunkLimits
  private var state = State.size
  private var digits: UInt8 = 0
  /// The fault that ended the message; every later call reports it again.
  private var fault: WireFault?
  /// What is left of the current chunk.
  private var remaining: UInt64 = 0
  private var lineExtensions = 0
  private var allExtensions: Int64 = 0
  private var trailers: TrailerSection

  /// The data bytes seen so far.
  package private(set) var payloadBytes: Int64 = 0

  package init(output: Output, limits: ChunkLimits = .default, trailers filter: TrailerFilter = TrailerFilter()) {
    self.output = output
    self.limits = limits
    trailers = TrailerSection(limit: limits.trailers, filter: filter)
  }

  /// The end of the message was consumed.
  package var isFinished: Bool { state == .finished }

  /// The filtered trailer section with its final empty line, to be sent after the output once `isFinished`; empty when
  /// the output already ends the message, and when it is decoded.
  package var trailerSection: [UInt8] {
    isFinished && output == .chunked ? trailers.section : []
  }

  /// Takes in the `count` bytes at `buffer` and leaves the output at its start.
  package mutating func process(_ buffer: MutableBytes, _ count: Int) -> Result {
    if let fault { return Result(consumed: 0, produced: 0, fault: fault) }
    let isChunked = output == .chunked
    var read = 0
    var written = 0

    @inline(__always) func keep(_ length: Int) {
      if written != read { (buffer + written).update(from: buffer + read, count: length) }
      written &+= length
      read &+= length
    }
    @inline(__always) func keepFraming() {
      if isChunked { keep(1) } else { read &+= 1 }
    }
    @inline(__always) func refused(_ fault: WireFault) -> Result {
      Result(consumed: read, produced: written, fault: fault)
    }

    while read < count {
      let byte = buffer[read]
      switch state {
      case .size, .digits:
        let digit = Octet.hexadecimalValue(byte)
        if digit < 16 {
          // 16 digits at most, and no size above Int64.max.
          guard digits < 16, remaining >> 59 == 0 else { return fail(refused(.malformedChunkSize)) }
          digits &+= 1
          remaining = remaining << 4 | UInt64(digit)
          state = .digits
          keepFraming()
          continue
        }
        guard state == .digits else { return fail(refused(.malformedChunkSize)) }
        lineExtensions = 0
        switch byte {
        case Octet.carriageReturn:
          state = .sizeLineFeed
          keepFraming()
        case Octet.semicolon: state = .extensions
        case Octet.space, Octet.tab: state = .padding
        default: return fail(refused(.malformedChunkSize))
        }
      case .padding, .extensions:
        if byte == Octet.carriageReturn {
          state = .sizeLineFeed
          keepFraming()
          continue
        }
        if state == .padding {
          // White space after a size comes from old servers and is harmless once it is dropped.
          if byte == Octet.semicolon {
            state = .extensions
          } else if !Octet.isWhitespace(byte) {
            return fail(refused(.malformedChunkSize))
          }
        }
        guard byte >= Octet.space && byte != Octet.delete || byte == Octet.tab else {
          return fail(refused(byte == Octet.lineFeed ? .bareLineFeed : .malformedChunkSize))
        }
        guard lineExtensions < limits.extensions, allExtensions < payloadBytes &+ Int64(limits.extensions) else {
          return fail(refused(.chunkExtensionTooLong))
        }
        lineExtensions &+= 1
        allExtensions &+= 1
        read &+= 1
      case .sizeLineFeed:
        guard byte == Octet.lineFeed else { return fail(refused(.bareCarriageReturn)) }
        digits = 0
        state = remaining == 0 ? .trailerStart : .data
        keepFraming()
      case .data:
        let length = Int(min(UInt64(truncatingIfNeeded: count &- read), remaining))
        remaining &-= UInt64(truncatingIfNeeded: length)
        payloadBytes &+= Int64(truncatingIfNeeded: length)
        keep(length)
        if remaining == 0 { state = .dataCarriageReturn }
      case .dataCarriageReturn:
        guard byte == Octet.carriageReturn else { return fail(refused(.malformedChunkEnd)) }
        state = .dataLineFeed
        keepFraming()
      case .dataLineFeed:
        guard byte == Octet.lineFeed else { return fail(refused(.malformedChunkEnd)) }
        state = .size
        keepFraming()
      case .trailerStart:
        if byte == Octet.carriageReturn {
          state = .finalLineFeed
          if trailers.isEmpty { keepFraming() } else { read &+= 1 }
        } else {
          state = .trailerLine
        }
      case .trailerLine:
        if byte == Octet.carriageReturn {
          state = .trailerLineFeed
        } else if let fault = trailers.append(byte) {
          return fail(refused(fault))
        }
        read &+= 1
      case .trailerLineFeed:
        guard byte == Octet.lineFeed else { return fail(refused(.malformedTrailer)) }
        if let fault = trailers.endLine() { return fail(refused(fault)) }
        state = .trailerStart
        read &+= 1
      case .finalLineFeed:
        guard byte == Octet.lineFeed else { return fail(refused(.malformedTrailer)) }
        state = .finished
        if trailers.isEmpty {
          keepFraming()
        } else {
          trailers.endSection()
          read &+= 1
        }
      case .finished:
        return Result(consumed: read, produced: written, fault: nil)
      }
    }
    return Result(consumed: read, produced: written, fault: nil)
  }

  private mutating func fail(_ result: Result) -> Result {
    fault = result.fault
    return result
  }
}
