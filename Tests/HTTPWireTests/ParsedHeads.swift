import HTTPWire
import TestKit

/// A parsed head with its field lines copied out, so that it can be compared.
struct ParsedRequest: Equatable {
  var outcome: ParseOutcome
  var head = RequestHead()
  var fields: [Field] = []
  var target = ""

  struct Field: Equatable {
    var name: String
    var value: String
    var id: FieldID
  }

  static func == (one: ParsedRequest, other: ParsedRequest) -> Bool {
    one.outcome == other.outcome && one.fields == other.fields && one.head.length == other.head.length
      && one.target == other.target && one.head.method == other.head.method
  }

  /// The value of the first field of that name, in the spelling of the message.
  subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
}

/// A parsed response head, likewise.
struct ParsedResponse {
  var outcome: ParseOutcome
  var head = ResponseHead()
  var fields: [ParsedRequest.Field] = []
  var reason = ""
}

/// The bytes of a message written with `¶` for CRLF.
func message(_ text: String) -> [UInt8] {
  text.split(separator: "¶", omittingEmptySubsequences: false).map { Array($0.utf8) }
    .joined(separator: [0x0d, 0x0a]).map { $0 }
}

func text(_ start: UnsafePointer<UInt8>, _ offset: Int, _ length: Int) -> String {
  String(decoding: UnsafeBufferPointer(start: start + offset, count: length), as: UTF8.self)
}

func fields(_ start: UnsafePointer<UInt8>, _ parser: HeadParser, _ digest: FieldDigest) -> [ParsedRequest.Field] {
  (0..<digest.count).map { index in
    let line = parser.lines[index]
    return ParsedRequest.Field(
      name: text(start, Int(line.nameStart), Int(line.nameLength)),
      value: text(start, Int(line.valueStart), Int(line.valueLength)), id: line.id)
  }
}

/// Parses the bytes, which end at a page that must not be read.
func parseRequest(_ bytes: [UInt8], limits: HeadLimits = HeadLimits()) throws -> ParsedRequest {
  let parser = HeadParser(limits: limits)
  return try GuardedBytes.with(bytes) { guarded in
    var head = RequestHead()
    let start = UnsafePointer(guarded.start)
    var parsed = ParsedRequest(outcome: parser.parseRequest(start, guarded.count, into: &head))
    guard parsed.outcome == .complete else { return parsed }
    parsed.head = head
    parsed.fields = fields(start, parser, head.fields)
    parsed.target = text(start, head.targetStart, head.targetLength)
    return parsed
  }
}

func parseRequest(_ message: String, limits: HeadLimits = HeadLimits()) throws -> ParsedRequest {
  try parseRequest(HTTPWireTests.message(message), limits: limits)
}

/// Parses a response head under the same conditions.
func parseResponse(_ bytes: [UInt8], limits: HeadLimits = HeadLimits()) throws -> ParsedResponse {
  let parser = HeadParser(limits: limits)
  return try GuardedBytes.with(bytes) { guarded in
    var head = ResponseHead()
    let start = UnsafePointer(guarded.start)
    var parsed = ParsedResponse(outcome: parser.parseResponse(start, guarded.count, into: &head))
    guard parsed.outcome == .complete else { return parsed }
    parsed.head = head
    parsed.fields = fields(start, parser, head.fields)
    parsed.reason = text(start, head.reasonStart, head.reasonLength)
    return parsed
  }
}

func parseResponse(_ message: String, limits: HeadLimits = HeadLimits()) throws -> ParsedResponse {
  try parseResponse(HTTPWireTests.message(message), limits: limits)
}
