import Effects
import Testing

@testable import Storage

@Suite struct DeliveryPositionsTests {
  @Test(
    arguments: [
      (1...5, 0), (1...10, 0), (11...12, 2), (5...12, 2), (13...19, 0), (15...25, 5), (30...31, 2), (1...31, 13),
    ] as [(ClosedRange<Int64>, Int64)])
  func countsWhatIsNotAcknowledged(range: ClosedRange<Int64>, count: Int64) {
    let cursor = DeliveryCursor(position: 10, through: 20, missing: [11...12])
    #expect(cursor.countMissing(in: range) == count)
    #expect(Int64(range.filter { !cursor.isAcknowledged($0) }.count) == count)
  }

  @Test(
    arguments: [
      (100, DeliveryCursor(position: 10, through: 20, missing: [11...12, 15...18])),
      (20, DeliveryCursor(position: 10, through: 20, missing: [11...12, 15...18])),
      (16, DeliveryCursor(position: 10, through: 16, missing: [11...12, 15...16])),
      (14, DeliveryCursor(position: 10, through: 14, missing: [11...12])),
      (10, DeliveryCursor(position: 10)), (3, DeliveryCursor(position: 3)), (0, DeliveryCursor(position: 0)),
    ] as [(Int64, DeliveryCursor)])
  func endsWhereTheQueueEnds(last: Int64, limited: DeliveryCursor) {
    let cursor = DeliveryCursor(position: 10, through: 20, missing: [11...12, 15...18])
    #expect(cursor.limited(to: last) == limited)
  }

  @Test func writesRangesAsText() {
    let cursor = DeliveryCursor(position: 1, through: 9, missing: [2...2, 5...8])
    #expect(cursor.missingText == "2-2,5-8")
    #expect(DeliveryCursor.missing(ofText: "2-2,5-8") == [2...2, 5...8])
    #expect(DeliveryCursor.missing(ofText: "") == [])
  }

  @Test(arguments: ["5", "5-", "8-5", "a-b", "1-2-3", "5-6,2-3", "1-5,5-6", "99999999999999999999-1"])
  func refusesOtherTexts(text: String) {
    #expect(DeliveryCursor.missing(ofText: text) == nil)
  }

  @Test func countsNothingThatTheDeliveryHasInMemory() {
    let positions = DeliveryPositions()
    positions.set(DeliveryCursor(position: 10), of: "ahoy")
    positions.noteRead(upTo: 50, of: "ahoy")
    positions.noteRead(upTo: 40, of: "ahoy")
    positions.noteExpired([1...20, 41...60])
    #expect(positions.droppedUndelivered(of: "ahoy") == 10)
  }
}
