import Effects
import Testing

@testable import Storage

@Suite struct PendingRowsTests {
  private func pending(rows: Int = 100, bytes: Int = 1 << 20, group: Int = 10) -> PendingRows {
    var options = EventDatabaseOptions()
    options.pendingRows = rows
    options.pendingBytes = bytes
    options.groupCommitRows = group
    options.groupCommitMilliseconds = 150
    return PendingRows(options)
  }

  @Test func wakesTheWriterForTheFirstRowAndForAFullGroupOnly() {
    var pending = pending(group: 3)
    #expect((0..<5).map { pending.accept(EventBatch([row($0)]), now: 0) } == [true, false, true, false, false])
  }

  @Test func isDueOneGroupTimeAfterTheOldestRow() {
    var pending = pending()
    #expect(pending.dueTime == nil)
    _ = pending.accept(EventBatch([row(1)]), now: 1_000)
    _ = pending.accept(EventBatch([row(2)]), now: 90_000_000)
    #expect(pending.dueTime == 150_001_000)
  }

  @Test func isDueAtOnceWhenFullFlushedOrClosing() {
    var full = pending(group: 2)
    _ = full.accept(EventBatch([row(1)]), now: 5)
    _ = full.accept(EventBatch([row(2)]), now: 5)
    #expect(full.dueTime == 0)

    var flushed = pending()
    _ = flushed.accept(EventBatch([row(1)]), now: 5)
    let goal = flushed.requestFlush()
    #expect(goal == 1)
    #expect(flushed.dueTime == 0)

    var closing = pending()
    _ = closing.accept(EventBatch([row(1)]), now: 5)
    closing.requestClose()
    #expect(closing.dueTime == 0)
  }

  @Test func dropsTheNewestBeyondTheRows() {
    var pending = pending(rows: 3)
    for number in 0..<5 { _ = pending.accept(EventBatch([row(number)]), now: 0) }
    #expect(pending.status.droppedFull == 2)
    var batch = EventBatch()
    pending.take(into: &batch)
    #expect(batch.rows == [row(0), row(1), row(2)])
  }

  @Test func takesTheFirstOfABatchAsFarAsTheyFit() {
    var pending = pending(rows: 4)
    _ = pending.accept(EventBatch([row(0), row(1)]), now: 0)
    _ = pending.accept(EventBatch([row(2), row(3), row(4)]), now: 0)
    #expect(pending.status.droppedFull == 1)
    #expect(pending.status.pending == 4)
    #expect(pending.waiting.rows == (0..<4).map { row($0) })
    var small = self.pending(bytes: EventBatch([row(0), row(1)]).memoryBytes)
    _ = small.accept(EventBatch([row(0), row(1), row(2)]), now: 0)
    #expect(small.waiting.rows == [row(0), row(1)])
    #expect(small.status.droppedFull == 1)
  }

  @Test func countsRowsBeingWrittenTowardsTheCaps() {
    var pending = pending(rows: 2)
    var batch = EventBatch()
    _ = pending.accept(EventBatch([row(0)]), now: 0)
    _ = pending.accept(EventBatch([row(1)]), now: 0)
    pending.take(into: &batch)
    _ = pending.accept(EventBatch([row(2)]), now: 0)
    #expect(pending.status.droppedFull == 1)
    pending.settle(committed: 2)
    let isFirst = pending.accept(EventBatch([row(3)]), now: 0)
    #expect(isFirst)
    #expect(pending.status.committed == 2)
    #expect(pending.status.pending == 1)
  }

  @Test func dropsBeyondTheBytes() {
    var pending = pending(bytes: EventBatch([row(0)]).memoryBytes * 2)
    for number in 0..<3 { _ = pending.accept(EventBatch([row(number)]), now: 0) }
    #expect(pending.status.pending == 2)
    #expect(pending.status.droppedFull == 1)
  }

  @Test func countsRowsThatWereGivenUp() {
    var pending = pending()
    var batch = EventBatch()
    _ = pending.accept(EventBatch([row(0)]), now: 0)
    let goal = pending.requestFlush()
    pending.take(into: &batch)
    pending.settle(committed: 0)
    #expect(pending.status.droppedError == 1)
    #expect(pending.status.committed == 0)
    #expect(pending.settled == goal)
  }

  @Test func refusesRowsWhileClosing() {
    var pending = pending()
    pending.requestClose()
    let mustWake = pending.accept(EventBatch([row(0)]), now: 0)
    #expect(!mustWake)
    #expect(pending.status.droppedClosed == 1)
    #expect(pending.dueTime == nil)
  }
}
