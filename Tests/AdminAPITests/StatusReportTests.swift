import AdminAPI
import Effects
import Testing

@Suite struct StatusReportTests {
  @Test func theShapeDoesNotDependOnTheState() throws {
    func shape(_ value: JSONValue?) -> [String]? { value?.members?.map(\.name) }
    let full = SampleContext.status.json(ids: .masked)
    let empty = StatusReport().json(ids: .masked)
    #expect(shape(full) == shape(empty))
    for name in ["versions", "configuration", "proxy", "visitorID"] {
      #expect(shape(full[name]) != nil, "\(name)")
      #expect(shape(full[name]) == shape(empty[name]), "\(name)")
    }
    #expect(empty["events"] == .null)
    #expect(empty["visitorID"]?["id"] == .null)
  }

  @Test func timesAreText() {
    let status = SampleContext.status.json(ids: .masked)
    #expect(status["startedAt"] == "2026-11-30T07:05:23.120Z")
    #expect(status["visitorID"]?["expiresAt"] == "2026-12-01T07:05:23.120Z")
    #expect(status["configuration"]?["lastReload"]?["at"] == "2026-11-30T07:06:40.000Z")
  }

  @Test func countsBeyondJSONIntegersAreClamped() {
    var report = StatusReport()
    report.traffic.requests = .max
    #expect(report.json(ids: .masked)["proxy"]?["requests"] == .integer(.max))
  }

  @Test(arguments: [
    ("1f0c9f5e-6a3b-4000", "1f0c9f5e…"), ("1f0c9f5e-6a3b", "1f0c9f…"), ("short", "sh…"), ("user-42", "use…"), ("", "…"),
  ])
  func aMaskedIDHasEightCharactersAndHalfAtMost(id: String, text: String) {
    #expect(IDDisclosure.masked.text(id) == text)
    #expect(IDDisclosure.full.text(id) == id)
  }
}
