package import Effects
package import HTTPWire

/// Reads one response from the bytes of its connection, however they are cut.
package struct ResponseReader {
  /// Where the reading stands.
  package enum Progress: Sendable, Equatable {
    /// More bytes are needed.
    case more
    /// The response is there. When `isClean`, the connection may carry another request.
    case complete(OutboundResponse, isClean: Bool)
    /// What came is no acceptable HTTP/1.1, for that reason.
    case malformed(String)
    /// The stream ended too early.
    case truncated(String)
  }

  /// Interim responses before the final one.
  package static let interimLimit = 32

  private let method: Method
  private let bodyLimit: Int
  private var head: [UInt8] = []
  private var interimCount = 0
  private var response: OutboundResponse?
  private var framing = BodyFraming.none
  private var remaining: Int64 = 0
  private var chunks: ChunkedStream?
  private var keepsConnection = false

  /// Reads the response to a request of that method, with at most so many bytes of content.
  package init(method: Method, bodyLimit: Int) {
    self.method = method
    self.bodyLimit = bodyLimit
  }

  /// Whether any byte of a response has come.
  package private(set) var hasBegun = false

  /// Takes in what came; the bytes are changed on the way.
  package mutating func take(_ bytes: MutableBytes, _ count: Int, _ parser: HeadParser) -> Progress {
    guard count > 0 else { return .more }
    hasBegun = true
    if response != nil { return takeContent(bytes, count) }
    let before = head.count
    head.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
    return readHeads(after: before, parser)
  }

  /// The stream has come to its proper end.
  package mutating func end() -> Progress {
    if let response, framing == .untilClose { return .complete(response, isClean: false) }
    if response != nil { return .truncated("the connection ended within the content of the response") }
    return .truncated(
      hasBegun ? "the connection ended within the head of the response" : "the connection ended without a response")
  }

  private mutating func readHeads(after before: Int, _ parser: HeadParser) -> Progress {
    var before = before
    while true {
      var parsed = ResponseHead()
      let outcome = head.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress, parser.isWorthParsing(start, buffer.count, after: before) else {
          return ParseOutcome.incomplete
        }
        return parser.parseResponse(start, buffer.count, into: &parsed)
      }
      switch outcome {
      case .incomplete: return .more
      case .refused(let fault): return .malformed("the head of the response breaks a rule: \(fault)")
      case .complete: break
      }
      guard parsed.isInterim else { return begin(parsed, parser) }
      interimCount += 1
      guard interimCount <= ResponseReader.interimLimit else { return .malformed("too many interim responses") }
      head.removeFirst(parsed.length)
      before = 0
    }
  }

  /// The head of the final response is there; what lies behind it is content.
  private mutating func begin(_ parsed: ResponseHead, _ parser: HeadParser) -> Progress {
    guard parsed.status >= 200 else { return .malformed("the protocol was switched without a wish for it") }
    guard !parsed.fields.hasOtherCoding else { return .malformed("the response has a transfer coding unlike chunked") }
    let fields = (0..<parsed.fields.count).map { index in
      let line = parser.lines[index]
      return OutboundField(
        text(Int(line.nameStart), Int(line.nameLength)), text(Int(line.valueStart), Int(line.valueLength)))
    }
    let response = OutboundResponse(status: parsed.status, fields: fields)
    self.response = response
    framing = parsed.body(inResponseTo: method)
    keepsConnection = parsed.wantsKeepAlive
    var rest = Array(head[parsed.length...])
    head = []
    switch framing {
    case .none: return .complete(response, isClean: keepsConnection && rest.isEmpty)
    case .length(let length): remaining = length
    case .chunked: chunks = ChunkedStream(output: .decoded)
    case .untilClose: keepsConnection = false
    }
    return rest.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { takeContent($0, buffer.count) } ?? .more
    }
  }

  private mutating func takeContent(_ bytes: MutableBytes, _ count: Int) -> Progress {
    switch framing {
    case .none: return .more
    case .length:
      let length = Int(min(Int64(count), remaining))
      remaining -= Int64(length)
      return keep(bytes, length, isDone: remaining == 0, isClean: length == count)
    case .chunked:
      guard let result = chunks?.process(bytes, count) else { return .more }
      let isDone = chunks?.isFinished ?? false
      let progress = keep(bytes, result.produced, isDone: isDone, isClean: result.consumed == count)
      // Behind the limit nobody looks, in whatever pieces it comes.
      guard progress == .more, let fault = result.fault else { return progress }
      return .malformed("the content of the response breaks a rule: \(fault)")
    case .untilClose: return keep(bytes, count, isDone: false, isClean: false)
    }
  }

  private mutating func keep(_ bytes: MutableBytes, _ count: Int, isDone: Bool, isClean: Bool) -> Progress {
    guard var kept = response else { return .more }
    // Taken out, so that the content grows in place.
    response = nil
    let room = max(bodyLimit - kept.body.count, 0)
    kept.body.append(contentsOf: UnsafeBufferPointer(start: bytes, count: min(count, room)))
    if isDone || count > room {
      return .complete(kept, isClean: isDone && isClean && keepsConnection && count <= room)
    }
    response = kept
    return .more
  }

  private func text(_ start: Int, _ length: Int) -> String {
    String(decoding: head[start..<start + length], as: UTF8.self)
  }
}
