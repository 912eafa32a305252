import Effects
import Testing

@Suite struct RecordStoreTests {
  @Test func knowsWhatIsAcknowledged() {
    let cursor = DeliveryCursor(position: 10, through: 30, missing: [11...12, 15...15, 28...30])
    let open = (1...40).filter { !cursor.isAcknowledged(Int64($0)) }
    #expect(open == [11, 12, 15, 28, 29, 30] + Array(31...40))
  }

  @Test func endsAtItsPositionWithoutMore() {
    #expect(DeliveryCursor(position: 5).through == 5)
    #expect(DeliveryCursor(position: 5, through: 3).through == 5)
    #expect(DeliveryCursor(position: 5).isAcknowledged(5))
    #expect(!DeliveryCursor(position: 5).isAcknowledged(6))
    #expect(DeliveryCursor(position: 0, through: 9).isAcknowledged(9))
  }
}
