import CohorlyTracker
import Effects
import Testing

@Suite struct CohorlyBatchTests {
  static func event(bytes: Int = 0) -> CohorlyRecord {
    CohorlyRecord(path: .track, body: [JSONMember("event", .string(String(repeating: "x", count: bytes)))])
  }

  @Test func holdsFiveHundredRecords() {
    var batch = CohorlyBatch()
    for _ in 0..<500 { #expect(batch.add(Self.event(), token: nil) == .added) }
    #expect(batch.add(Self.event(), token: nil) == .full)
    #expect(batch.records.count == 500)
  }

  @Test func holdsRecordsOfOnePath() {
    var batch = CohorlyBatch()
    #expect(batch.add(Self.event(), token: nil) == .added)
    #expect(batch.add(PeopleOperation.delete.record(distinctID: "u"), token: nil) == .full)
    #expect(batch.path == .track)
  }

  @Test func holdsOneAlias() {
    var batch = CohorlyBatch()
    let alias = CohorlyAlias(alias: "a", distinctID: "u").record
    #expect(batch.add(alias, token: nil) == .added)
    #expect(batch.add(alias, token: nil) == .full)
  }

  /// `{"event":"…"}` in brackets is 14 bytes more than the name.
  @Test func holdsAsManyBytesAsAreAllowed() {
    var batch = CohorlyBatch()
    #expect(batch.add(Self.event(bytes: CohorlyLimits.bytes - 14), token: nil) == .added)
    #expect(batch.bytes == CohorlyLimits.bytes)
    #expect(CohorlyEndpoint().request(.track, records: batch.records).body.count == batch.bytes)
    #expect(batch.add(Self.event(), token: nil) == .full)
  }

  @Test func countsTheToken() {
    var batch = CohorlyBatch()
    #expect(batch.add(Self.event(bytes: CohorlyLimits.bytes - 14), token: "t") == .tooLarge)
    #expect(batch.path == nil)
    #expect(batch.add(Self.event(bytes: CohorlyLimits.bytes - 13), token: nil) == .tooLarge)
  }

  @Test func saysOfALargeOneBehindOthersThatItIsFull() {
    var batch = CohorlyBatch()
    #expect(batch.add(Self.event(), token: nil) == .added)
    #expect(batch.add(Self.event(bytes: CohorlyLimits.bytes), token: nil) == .full)
  }
}
