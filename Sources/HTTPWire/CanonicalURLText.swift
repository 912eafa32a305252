/// The canonical text of a URL and where its parts lie in it; a convenience for tools and tests.
///
/// A fragment is cut.
package func canonicalURLText(_ text: String) -> Result<(text: String, url: CanonicalURL), TargetFault> {
  let input = Array(text.utf8)
  var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(input.count))
  defer { subject.deallocate() }
  var url = CanonicalURL()
  let fault = input.withUnsafeBufferPointer { buffer -> TargetFault? in
    guard let start = buffer.baseAddress else { return .malformed }
    return TargetParser.parseAbsolute(start, buffer.count, fragment: .cut, subject: &subject, into: &url)
  }
  if let fault { return .failure(fault) }
  return .success(
    (String(decoding: UnsafeBufferPointer(start: subject.base, count: subject.count), as: Unicode.UTF8.self), url))
}
