import HTTPWire
import TestKit

/// A head as the parser reads it, copied out, so that two can be compared.
struct ReadHead: Equatable {
  struct Field: Equatable {
    var name: [UInt8]
    var value: [UInt8]
    var id: FieldID
  }

  /// The reading of bytes that end at a page which must not be touched; `head` is nil unless it is complete.
  struct Reading: Equatable {
    var outcome: ParseOutcome
    var head: ReadHead?
  }

  var start = 0
  var length = 0
  var minorVersion: UInt8 = 1
  /// Method and target, or the reason phrase.
  var method: [UInt8] = []
  var target: [UInt8] = []
  var status = 0
  var reason: [UInt8] = []
  var fields: [Field] = []
  var contentLength: Int64 = -1
  var isChunked = false
  var hasOtherCoding = false

  static func request(_ bytes: [UInt8], _ parser: HeadParser = HeadParser()) throws -> Reading {
    try GuardedBytes.with(bytes) { guarded in
      var head = RequestHead()
      let outcome = parser.parseRequest(UnsafePointer(guarded.start), guarded.count, into: &head)
      guard outcome == .complete else { return Reading(outcome: outcome) }
      try require(head.length <= bytes.count, "a head of \(head.length) bytes in \(bytes.count)")
      var read = ReadHead(bytes, head.fields, parser, head.length, head.minorVersion)
      read.start = head.start
      read.method = Array(bytes[head.start..<head.start + head.methodLength])
      read.target = Array(bytes[head.targetStart..<head.targetStart + head.targetLength])
      return Reading(outcome: outcome, head: read)
    }
  }

  static func response(_ bytes: [UInt8], _ parser: HeadParser = HeadParser()) throws -> Reading {
    try GuardedBytes.with(bytes) { guarded in
      var head = ResponseHead()
      let outcome = parser.parseResponse(UnsafePointer(guarded.start), guarded.count, into: &head)
      guard outcome == .complete else { return Reading(outcome: outcome) }
      try require(head.length <= bytes.count, "a head of \(head.length) bytes in \(bytes.count)")
      var read = ReadHead(bytes, head.fields, parser, head.length, head.minorVersion)
      read.status = head.status
      read.reason = Array(bytes[head.reasonStart..<head.reasonStart + head.reasonLength])
      return Reading(outcome: outcome, head: read)
    }
  }

  private init(
    _ bytes: [UInt8], _ digest: FieldDigest, _ parser: HeadParser, _ length: Int, _ minorVersion: UInt8
  ) {
    self.length = length
    self.minorVersion = minorVersion
    contentLength = digest.contentLength
    isChunked = digest.isChunked
    hasOtherCoding = digest.hasOtherCoding
    fields = (0..<digest.count).map { index in
      let line = parser.lines[index]
      let name = Int(line.nameStart)..<Int(line.nameStart + line.nameLength)
      let value = Int(line.valueStart)..<Int(line.valueStart + line.valueLength)
      return Field(name: Array(bytes[name]), value: Array(bytes[value]), id: line.id)
    }
  }

  /// The head in the plainest spelling.
  var rewritten: [UInt8] {
    let version = Array("HTTP/1.\(minorVersion)".utf8)
    var out =
      status > 0 ? version + [0x20] + Array("\(status) ".utf8) + reason : method + [0x20] + target + [0x20] + version
    out += "\r\n".utf8
    for field in fields { out += field.name + Array(": ".utf8) + field.value + Array("\r\n".utf8) }
    return out + Array("\r\n".utf8)
  }

  /// Without what depends on white space.
  var meaning: ReadHead {
    var copy = self
    copy.start = 0
    copy.length = 0
    return copy
  }
}
