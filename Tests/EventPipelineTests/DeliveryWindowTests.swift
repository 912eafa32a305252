import Effects
import TestKit
import Testing

@testable import EventPipeline

@Suite struct DeliveryWindowTests {
  @Test func takesSoundOffsetsOnly() {
    var batch = DeliveryBatch(events: events(1...6), letters: [11, 12, 13, 14, 15, 16])
    let taken = batch.take([4, -1, 0, 4, 6, .max])
    #expect(taken.events.map(\.sequence) == [1, 5])
    #expect(taken.letters == [11, 15])
    #expect(batch.events.map(\.sequence) == [2, 3, 4, 6])
    #expect(batch.letters == [12, 13, 14, 16])
    #expect(batch.take([]).events.isEmpty)
    #expect(batch.take([9]).events.isEmpty)
    #expect(batch.events.count == 4)
  }

  @Test(arguments: 2...9) func halvesWithoutLoss(count: Int64) {
    let batch = DeliveryBatch(events: events(1...count))
    let (first, second) = batch.halves()
    #expect(first.events + second.events == batch.events)
    #expect((0...1).contains(first.events.count - second.events.count))
    #expect(!second.events.isEmpty)
  }

  /// Whatever is taken, sent, recalled and settled: rows, bytes, the oldest and the ranges say what a list would.
  @Test(arguments: 1...20) func countsLikeAList(seed: UInt64) {
    var chance = SeededGenerator(seed: seed)
    var window = DeliveryWindow()
    var held: [Int64: QueuedEvent] = [:]
    var next: Int64 = 1
    var number = 0
    for _ in 0..<300 {
      switch Int.random(in: 0..<6, using: &chance) {
      case 0, 1:
        next += Int64.random(in: 1...3, using: &chance)
        let new = event(next, bytes: Int.random(in: 0...50, using: &chance))
        held[next] = new
        window.append(new)
      case 2:
        let offsets = (0..<window.ready.count).filter { _ in Bool.random(using: &chance) }
        number += 1
        window.send(window.takeReady(offsets), number: number)
      case 3:
        guard let batch = window.takeAnswered(Int.random(in: 0...number, using: &chance)) else { break }
        window.wait(batch)
      case 4:
        guard !window.waiting.isEmpty else { break }
        let batch = window.takeWaiting(at: Int.random(in: 0..<window.waiting.count, using: &chance))
        for event in batch.events { held[event.sequence] = nil }
        window.settle(batch)
      default: if Int.random(in: 0..<10, using: &chance) == 0 { window.recallAll() }
      }
      #expect(window.rows == held.count)
      #expect(window.bytes == held.values.reduce(0) { $0 + $1.memoryBytes })
      #expect(window.oldest?.sequence == held.keys.min())
      #expect(window.missing.flatMap { Array($0) } == held.keys.sorted())
      #expect(zip(window.missing, window.missing.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
    }
  }

  @Test func keepsLettersOutOfTheQueue() {
    var window = DeliveryWindow()
    window.append(letters: DeliveryBatch(events: events(1...3), letters: [7, 8, 9]))
    #expect(window.rows == 3)
    #expect(window.holdsLetters)
    #expect(window.oldest == nil)
    #expect(window.missing == [])
    window.settle(window.takeWaiting(at: 0))
    #expect(!window.holdsLetters)
    #expect(window.bytes == 0)
  }
}
