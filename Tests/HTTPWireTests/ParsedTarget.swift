import HTTPWire
import TestKit
import Testing

/// A parsed target with its texts copied out.
struct ParsedTarget: Equatable {
  var fault: TargetFault?
  var subject = ""
  var url = CanonicalURL()
  var rawAuthority = ""
  var rawPath = ""

  var host: String { part(url.hostStart, url.hostLength) }
  var origin: String { part(0, url.originLength) }
  var path: String { part(url.originLength, url.pathLength) }

  private func part(_ start: Int, _ length: Int) -> String {
    String(decoding: Array(subject.utf8)[start..<start + length], as: UTF8.self)
  }
}

/// Parses the bytes, which end at a page that must not be read, into a subject with exactly the room stated.
func parseTarget(_ bytes: [UInt8], _ fragment: FragmentPolicy = .refuse) throws -> ParsedTarget {
  try GuardedBytes.with(bytes) { guarded in
    var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(bytes.count))
    defer { subject.deallocate() }
    var parsed = ParsedTarget()
    let start = UnsafePointer(guarded.start)
    parsed.fault = TargetParser.parseAbsolute(
      start, guarded.count, fragment: fragment, subject: &subject, into: &parsed.url)
    if parsed.fault != nil { return ParsedTarget(fault: parsed.fault) }
    parsed.subject = text(UnsafePointer(subject.base), 0, subject.count)
    parsed.rawAuthority = text(start, parsed.url.rawAuthorityStart, parsed.url.rawAuthorityLength)
    parsed.rawPath = text(start, parsed.url.rawPathStart, parsed.url.rawPathLength)
    #expect(parsed.url.length == subject.count && !subject.overflowed)
    return parsed
  }
}

func parseTarget(_ text: String, _ fragment: FragmentPolicy = .refuse) throws -> ParsedTarget {
  try parseTarget(Array(text.utf8), fragment)
}
