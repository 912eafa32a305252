import ProxyCore
import Testing
import URLRules

@Suite struct RecordBatchTests {
  private func append(
    _ entry: RecordBatch.Entry, _ method: String, _ url: String, _ rules: [Int32], _ more: [Int32],
    _ snapshot: InjectionSnapshot, to batch: inout RecordBatch
  ) {
    let method = Array(method.utf8)
    let url = Array(url.utf8)
    method.withUnsafeBufferPointer { method in
      url.withUnsafeBufferPointer { url in
        batch.append(entry, method: method, url: url, rules: rules, moreRules: more, snapshot: snapshot)
      }
    }
  }

  private func rules(_ names: String...) -> [RuleDefinition] {
    names.map { RuleDefinition(name: $0, matchers: [.prefix("http://h/")], effects: .visitorID) }
  }

  @Test func givesBackWhatWasPutIn() throws {
    let injection = try #require(InjectionSnapshot.Injection(effect: .visitorID, name: "x-id", value: "v"))
    let first = snapshot(injecting: [injection], rules: rules("a", "b", "c"), visitorID: "v1")
    let second = snapshot(rules: rules("z"), generation: 2)
    var entry = RecordBatch.Entry()
    entry.startedAtMilliseconds = 1_700_000_000_123
    entry.durationMicroseconds = 42
    entry.connectMicroseconds = 7
    entry.firstByteMicroseconds = 9
    entry.requestBytes = 100
    entry.responseBytes = 200
    entry.status = 204
    entry.mode = .tunnel
    entry.effects = RuleEffects.visitorID.rawValue
    entry.reusedConnection = true
    var batch = RecordBatch()
    #expect(batch.isEmpty)
    append(entry, "GET", "http://h/é", [2, 0], [1, 2], first, to: &batch)
    var failed = RecordBatch.Entry()
    failed.error = .nameNotFound
    failed.mode = .local
    append(failed, "", "", [], [0, 5], second, to: &batch)
    append(RecordBatch.Entry(), "PUT", "u", [], [], second, to: &batch)

    var expected = ExchangeRecord()
    expected.startedAtMilliseconds = 1_700_000_000_123
    expected.mode = .tunnel
    expected.method = "GET"
    expected.url = "http://h/é"
    expected.status = 204
    expected.durationMicroseconds = 42
    expected.connectMicroseconds = 7
    expected.firstByteMicroseconds = 9
    expected.requestBytes = 100
    expected.responseBytes = 200
    expected.reusedConnection = true
    expected.rules = ["a", "b", "c"]
    expected.injected = ["x-id"]
    expected.visitorID = "v1"
    let records = batch.records()
    #expect(batch.count == 3)
    try #require(records.count == 3)
    #expect(records[0] == expected)
    #expect(records[1].errorCode == "name_not_found")
    #expect(records[1].mode == .local)
    #expect(records[1].rules == ["z"])
    #expect(records[1].visitorID == nil)
    #expect(records[1].connectMicroseconds == nil)
    #expect(records[1].firstByteMicroseconds == nil)
    #expect(records[1].injected.isEmpty)
    #expect(records[2].method == "PUT")
    #expect(records[2].mode == .forward)
  }
}
