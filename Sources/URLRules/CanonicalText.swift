package import HTTPWire

/// One URL in canonical form with memory of its own, for the cold paths: rules, tests and texts from a program.
package struct CanonicalText: Sendable, Hashable {
  /// The subject that rules look at; ASCII.
  package let bytes: [UInt8]
  package let url: CanonicalURL

  /// The canonical text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Reads a URL text (contract VM-1).
  package static func read(_ text: [UInt8], fragment: FragmentPolicy) -> Result<CanonicalText, TargetFault> {
    var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(text.count))
    defer { subject.deallocate() }
    var url = CanonicalURL()
    // Pointers, because the parser takes them. One must have a byte to point at, also for the empty text.
    let input = text.isEmpty ? [0] : text
    let fault = input.withUnsafeBufferPointer { buffer -> TargetFault? in
      guard let start = buffer.baseAddress, !text.isEmpty else { return .malformed }
      return TargetParser.parseAbsolute(start, text.count, fragment: fragment, subject: &subject, into: &url)
    }
    if let fault { return .failure(fault) }
    let bytes = [UInt8](UnsafeBufferPointer(start: subject.base, count: subject.count))
    return .success(CanonicalText(bytes: bytes, url: url))
  }

  /// Calls the body with the subject's first byte; a canonical text has at least ten.
  func withSubject<Value>(_ body: (UnsafePointer<UInt8>) -> Value) -> Value? {
    bytes.withUnsafeBufferPointer { buffer in buffer.baseAddress.map(body) }
  }
}
