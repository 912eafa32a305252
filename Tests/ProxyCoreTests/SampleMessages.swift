import Effects
import HTTPWire
import ProxyCore
import RuleEngines
import Testing
import URLRules

/// A head as the parser gives it, with its bytes, for as long as the body runs.
struct SampleRequest {
  let bytes: Bytes
  let head: RequestHead
  let parser: HeadParser

  static func with<T>(_ message: String, _ body: (SampleRequest) throws -> T) throws -> T {
    let raw = Array(message.utf8)
    return try raw.withUnsafeBufferPointer { buffer in
      let bytes = try #require(buffer.baseAddress)
      let parser = HeadParser()
      var head = RequestHead()
      try #require(parser.parseRequest(bytes, buffer.count, into: &head) == .complete)
      return try body(SampleRequest(bytes: bytes, head: head, parser: parser))
    }
  }

  static func head(_ message: String) throws -> RequestHead { try with(message) { $0.head } }
}

/// The head of a request with that start line and those fields, ready for an exchange.
func requestHead(_ startLine: String, _ fields: String...) throws -> RequestHead {
  try SampleRequest.head(startLine + "\r\n" + (["Host: h"] + fields).map { $0 + "\r\n" }.joined() + "\r\n")
}

/// The head of a response with that status line and those fields.
func responseHead(_ statusLine: String, _ fields: String...) throws -> ResponseHead {
  let message = statusLine + "\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
  var head = ResponseHead()
  let raw = Array(message.utf8)
  let outcome = raw.withUnsafeBufferPointer { buffer in
    buffer.baseAddress.map { HeadParser().parseResponse($0, buffer.count, into: &head) }
  }
  try #require(outcome == .complete)
  return head
}

extension OutputBuffer {
  /// What was written, as text.
  var text: String { String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self) }
}

/// What a writer appends to a buffer.
func written(_ body: (inout OutputBuffer) throws -> Void) throws -> String {
  var output = OutputBuffer(capacity: 1 << 18)
  defer { output.deallocate() }
  try body(&output)
  #expect(!output.overflowed)
  return output.text
}

/// A snapshot with those injections and rule names.
func snapshot(
  injecting: [InjectionSnapshot.Injection] = [], rules: [RuleDefinition] = [], visitorID: String? = nil,
  trailers: TrailerPolicy = .forward, generation: Int = 1
) -> InjectionSnapshot {
  var settings = ProxySettings()
  settings.trailers = trailers
  let compiled = RuleSet.compile(rules, patterns: PCRE2PatternEngine(), hostNames: IDNA2008HostNameEncoder())
  return InjectionSnapshot(
    settings: settings, rules: compiled.rules, injections: injecting, visitorID: visitorID,
    validity: .min..<Int64.max, generation: generation)
}
