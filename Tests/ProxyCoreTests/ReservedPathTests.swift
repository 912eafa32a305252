import HTTPWire
import Testing
import URLRules

@testable import ProxyCore

@Suite struct ReservedPathTests {
  private func isCovered(_ text: String, by reserved: ReservedPath) throws -> Bool {
    let bytes = Array(text.utf8)
    var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(bytes.count))
    defer { subject.deallocate() }
    var url = CanonicalURL()
    let fault = bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.flatMap {
        TargetParser.parseAbsolute($0, buffer.count, fragment: .refuse, subject: &subject, into: &url)
      }
    }
    try #require(fault == nil)
    return reserved.covers(UnsafePointer(subject.base), url)
  }

  private let reserved = ReservedPath(effect: .ahoy, origin: "http://app.example:3000", path: "/base/ahoy/")

  @Test(arguments: [
    "/base/ahoy", "/base/ahoy/", "/base/ahoy/visits", "/base/ahoy/events?x=1", "/base/ahoy/visits.json",
    "//base///ahoy//visits", "/base/%61hoy/visits", "/%62ase%2fahoy/events", "/base%2Fahoy%2Fevents", "/base/ahoy.json",
    "/base/ahoy;x=1", "/base/ahoy%2Fvisits", "/base/%2Fahoy/visits",
  ])
  func coversWhatAServerMayTakeForIt(path: String) throws {
    #expect(try isCovered("http://app.example:3000\(path)", by: reserved))
  }

  @Test(arguments: [
    "http://app.example:3000/", "http://app.example:3000/ahoy/visits", "http://app.example:3000/base/ahoyx",
    "http://app.example:3000/base/aho", "http://app.example:3000/page?next=/base/ahoy/visits",
    "http://app.example/base/ahoy/visits", "https://app.example:3000/base/ahoy/visits",
    "http://other.example:3000/base/ahoy/visits", "http://app.example:3000/base/%6/ahoy",
  ])
  func leavesTheRestAlone(url: String) throws {
    #expect(try !isCovered(url, by: reserved))
  }
}
