import Effects
import EventPipeline
import Foundation
import Storage
import Testing

/// The pipeline over real SQLite files, with a scripted backend.
@Suite struct DeliveryPipelineTests {
  let directory: TemporaryDirectory
  let backend = StubBackend()

  init() throws { directory = try TemporaryDirectory() }

  private func world(
    options: DeliveryOptions = PipelineWorld.options, retainedRows: Int64 = 1_000_000,
    wrap: (DeliveryDatabase) -> any RecordStore = { $0 }
  ) async throws -> PipelineWorld {
    try await PipelineWorld(
      directory.path, backend: backend, options: options, retainedRows: retainedRows, wrap: wrap)
  }

  private func names(_ range: ClosedRange<Int>) -> [String] { range.map { "e\($0)" } }

  @Test func deliversEveryEventOnceAndInTime() async throws {
    let world = try await world()
    for start in stride(from: 1, to: 3_000, by: 100) { world.record(names(start...(start + 99))) }
    #expect(await world.deliverAll())
    #expect(backend.taken.count == 3_000)
    #expect(Set(backend.taken).count == 3_000)
    let status = await world.pipeline.status
    #expect(status.sent == 3_000)
    #expect(status.depth == 0)
    #expect(status.state == .delivering)
    await world.stop()
    #expect(await world.pipeline.status.state == .stopped)
  }

  @Test func sendsWithoutBeingAsked() async throws {
    let world = try await world()
    world.record(["e1"])
    for _ in 0..<1_000 where backend.taken.isEmpty {
      await SystemSleeper().sleep(untilNanoseconds: SystemMonotonicClock().nanoseconds() + 5_000_000)
    }
    #expect(backend.taken == ["e1"])
    await world.stop()
  }

  @Test func sendsAgainAfterARestartExactlyWhatWasNotAcknowledged() async throws {
    var options = PipelineWorld.options
    options.flushIntervalMilliseconds = 60_000
    options.flushAt = 40
    var world = try await world(options: options)
    // The second request hangs, the others are taken.
    backend.answer { ids, _ in ids.contains("e11") ? .hang : .take }
    world.record(names(1...40))
    world.record(names(41...45))
    await world.stop(milliseconds: 4_000)
    #expect(Set(backend.taken) == Set(names(1...10) + names(21...45)))
    backend.forget()
    backend.answer { _, _ in .take }
    world = try await self.world(options: options)
    #expect(await world.deliverAll())
    #expect(backend.seen == [names(11...20)])
    await world.stop()
    backend.forget()
    world = try await self.world(options: options)
    #expect(await world.deliverAll())
    #expect(backend.seen == [])
    await world.stop()
  }

  @Test func continuesBehindWhatASuddenEndLeft() async throws {
    var world = try await world()
    backend.answer { ids, _ in ids.contains("e500") ? .fail(.unreachable) : .take }
    world.record(names(1...1_000))
    for _ in 0..<200 where backend.taken.count < 400 {
      await SystemSleeper().sleep(untilNanoseconds: SystemMonotonicClock().nanoseconds() + 5_000_000)
    }
    world.abandon()
    backend.answer { _, _ in .take }
    world = try await self.world()
    #expect(await world.deliverAll())
    #expect(Set(backend.taken) == Set(names(1...1_000)))
    await world.stop()
  }

  @Test func repeatsALostAnswerWithTheSameIds() async throws {
    let world = try await world()
    backend.answer { _, number in number % 3 == 1 ? .takeAndLose : .take }
    world.record(names(1...200))
    #expect(await world.deliverAll())
    #expect(Set(backend.taken) == Set(names(1...200)))
    #expect(backend.taken.count > 200)
    await world.stop()
  }

  @Test func survivesAStoreThatFailsNowAndThen() async throws {
    let calls = FlakyCalls(every: 4)
    let world = try await world { FlakyStore(base: $0, calls: calls) }
    for start in stride(from: 1, to: 1_000, by: 50) { world.record(names(start...(start + 49))) }
    #expect(await world.deliverAll())
    #expect(Set(backend.taken) == Set(names(1...1_000)))
    #expect(calls.failed > 0)
    await world.stop()
  }

  @Test func setsAsideWhatTheBackendRefusesAndSendsItAgainOnDemand() async throws {
    let world = try await world()
    backend.answer { ids, _ in ids.contains("e7") || ids.contains("e33") ? .refuse(status: 400) : .take }
    world.record(names(1...60))
    #expect(await world.deliverAll())
    #expect(Set(backend.taken) == Set(names(1...60)).subtracting(["e7", "e33"]))
    for _ in 0..<1_000 where try await world.deliveries.deadLetterCount(of: nil) < 2 {
      await SystemSleeper().sleep(untilNanoseconds: SystemMonotonicClock().nanoseconds() + 5_000_000)
    }
    let letters = try await world.deliveries.deadLetters(of: "ahoy", after: 0, limit: 10)
    #expect(Set(letters.map(\.event.id)) == ["e7", "e33"])
    #expect(letters.map(\.reason) == ["status 400", "status 400"])
    #expect(letters.allSatisfy { $0.event.payload.count == 100 && $0.event.timeMilliseconds == 1_700_000_000_000 })

    backend.answer { ids, _ in ids.contains("e33") ? .refuse(status: 413) : .take }
    #expect(try await world.deliveries.requeue(ids: nil, of: "ahoy") == 2)
    world.pipeline.lettersQueued()
    for _ in 0..<1_000 {
      guard try await world.deliveries.deadLetterCount(of: nil) != 1 || !backend.taken.contains("e7") else { break }
      await SystemSleeper().sleep(untilNanoseconds: SystemMonotonicClock().nanoseconds() + 5_000_000)
    }
    #expect(backend.taken.filter { $0 == "e7" } == ["e7"])
    let rest = try await world.deliveries.deadLetters(of: "ahoy", after: 0, limit: 10)
    #expect(rest.map(\.event.id) == ["e33"])
    #expect(rest.map(\.reason) == ["status 413"])
    await world.stop()
  }

  @Test func drainsInTimeWhileTheBackendHangs() async throws {
    let world = try await world()
    backend.answer { _, _ in .hang }
    world.record(names(1...100))
    // The backend never answers: that this returns is the promise.
    await world.stop(milliseconds: 200)
    #expect(await world.pipeline.status.depth == 100)
  }

  @Test func countsWhatTheCapsTakeFromTheBackend() async throws {
    var options = PipelineWorld.options
    options.windowRows = 100
    let world = try await world(options: options, retainedRows: 1_000)
    backend.answer { _, _ in .fail(.unreachable) }
    for start in stride(from: 1, to: 5_000, by: 500) { world.record(names(start...(start + 499))) }
    let dropped = world.positions.droppedUndelivered(of: "ahoy")
    #expect(dropped > 3_000)
    backend.answer { _, _ in .take }
    #expect(await world.deliverAll())
    #expect(Int64(Set(backend.taken).count) + dropped == 5_000)
    await world.stop()
  }
}
