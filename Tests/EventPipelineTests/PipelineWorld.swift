import Effects
import EventPipeline
import Foundation
import Storage
import Synchronization

/// A backend behind a transport: it takes the lines of ``LineFormat``, and answers as a test says.
final class StubBackend: Transport {
  struct State {
    /// The ids of each request that it took, in order.
    var taken: [[String]] = []
    /// Each request, whatever became of it.
    var seen: [[String]] = []
    var answer: @Sendable (_ ids: [String], _ number: Int) -> Reply = { _, _ in .take }
  }

  enum Reply: Sendable {
    case take
    case refuse(status: Int, fields: [OutboundField] = [])
    /// Taken, and the answer is lost.
    case takeAndLose
    case fail(TransportError.Code)
    /// Neither taken nor answered, until the request is cancelled.
    case hang
  }

  let state = Mutex(State())

  func answer(_ answer: @escaping @Sendable (_ ids: [String], _ number: Int) -> Reply) {
    state.withLock { $0.answer = answer }
  }

  var taken: [String] { state.withLock { $0.taken.flatMap { $0 } } }
  var seen: [[String]] { state.withLock { $0.seen } }
  func forget() { state.withLock { ($0.taken, $0.seen) = ([], []) } }

  func send(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
    let list = ids(of: request)
    let reply = state.withLock { state in
      state.seen.append(list)
      let reply = state.answer(list, state.seen.count)
      switch reply {
      case .take, .takeAndLose: state.taken.append(list)
      default: break
      }
      return reply
    }
    switch reply {
    case .take: return OutboundResponse(status: 200)
    case .refuse(let status, let fields): return OutboundResponse(status: status, fields: fields)
    case .takeAndLose: throw TransportError(.interrupted, "lost", mayHaveArrived: true)
    case .fail(let code): throw TransportError(code, "down")
    case .hang:
      while !Task.isCancelled {
        await SystemSleeper().sleep(untilNanoseconds: SystemMonotonicClock().nanoseconds() + 2_000_000)
      }
      throw TransportError(.cancelled, "given up", mayHaveArrived: true)
    }
  }
}

/// A store whose calls fail as often as a test says.
struct FlakyStore: RecordStore {
  let base: any RecordStore
  /// Every so-manyth call fails.
  let calls: FlakyCalls

  func committedSequence() async throws(StoreError) -> Int64 {
    try calls.next()
    return try await base.committedSequence()
  }

  func page(of backend: String, after sequence: Int64, limit: Int, bytes: Int) async throws(StoreError) -> RecordPage {
    try calls.next()
    return try await base.page(of: backend, after: sequence, limit: limit, bytes: bytes)
  }

  func cursor(of backend: String) async throws(StoreError) -> DeliveryCursor {
    try calls.next()
    return try await base.cursor(of: backend)
  }

  func save(_ change: DeliveryChange, of backend: String) async throws(StoreError) {
    try calls.next()
    try await base.save(change, of: backend)
  }

  func deadLetters(of backend: String?, after number: Int64, limit: Int) async throws(StoreError) -> [DeadLetter] {
    try await base.deadLetters(of: backend, after: number, limit: limit)
  }

  func deadLetterCount(of backend: String?) async throws(StoreError) -> Int64 {
    try await base.deadLetterCount(of: backend)
  }

  func requeue(ids: [String]?, of backend: String?) async throws(StoreError) -> Int64 {
    try await base.requeue(ids: ids, of: backend)
  }

  func queuedLetters(of backend: String, limit: Int) async throws(StoreError) -> [DeadLetter] {
    try calls.next()
    return try await base.queuedLetters(of: backend, limit: limit)
  }
}

final class FlakyCalls: Sendable {
  private let state: Mutex<(count: Int, every: Int, failed: Int)>

  init(every: Int) { state = Mutex((0, every, 0)) }

  var failed: Int { state.withLock { $0.failed } }

  func next() throws(StoreError) {
    let fails = state.withLock { state in
      state.count += 1
      let fails = state.count % state.every == 0
      if fails { state.failed += 1 }
      return fails
    }
    if fails { throw StoreError(.inputOutput, "flaky") }
  }
}

/// The real stores in a directory of their own, and a pipeline over them.
final class PipelineWorld: Sendable {
  let events: EventDatabase
  let deliveries: DeliveryDatabase
  let positions: DeliveryPositions
  let pipeline: DeliveryPipeline

  static var options: DeliveryOptions {
    var options = DeliveryOptions()
    options.flushIntervalMilliseconds = 10
    options.backoffMilliseconds = 4
    options.maximumBackoffMilliseconds = 20
    options.slowRetryMilliseconds = 10
    options.saveIntervalMilliseconds = 2
    options.flushTimeoutMilliseconds = 20_000
    return options
  }

  init(
    _ directory: String, backend: any Transport, options: DeliveryOptions = options, retainedRows: Int64 = 1_000_000,
    format: any DeliveryFormat = LineFormat(), wrap: (DeliveryDatabase) -> any RecordStore = { $0 }
  ) async throws {
    let state = try StateDirectory(path: directory)
    positions = DeliveryPositions()
    let waker = Waker()
    var eventOptions = EventDatabaseOptions()
    eventOptions.groupCommitMilliseconds = 2
    eventOptions.retainedRows = retainedRows
    eventOptions.retainedBytes = 4 << 30
    eventOptions.positions = positions
    eventOptions.onCommitted = { sequence in waker.pipeline.withLock { $0 }?.committed(upTo: sequence) }
    events = try EventDatabase(in: state, options: eventOptions)
    deliveries = try DeliveryDatabase(in: state, events: events, backends: ["ahoy"], positions: positions)
    pipeline = DeliveryPipeline(
      backend: "ahoy", format: format, store: wrap(deliveries), transport: backend,
      clock: SystemMonotonicClock(), wallClock: SystemWallClock(), sleeper: SystemSleeper(),
      random: SystemTokenSource(), options: options)
    waker.pipeline.withLock { $0 = pipeline }
    await pipeline.start()
  }

  /// Records events and waits for their commit.
  func record(_ ids: [String], bytes: Int = 100) {
    events.append(
      ids.map { EventRow(id: $0, timeMilliseconds: 1_700_000_000_000, payload: [UInt8](repeating: 0x20, count: bytes)) }
    )
    events.flush(timeoutMilliseconds: 30_000)
  }

  /// Flushes until nothing waits any more; false when that does not come about.
  func deliverAll() async -> Bool {
    for _ in 0..<2_000 {
      if await pipeline.flush().isComplete { return true }
      await SystemSleeper().sleep(untilNanoseconds: SystemMonotonicClock().nanoseconds() + 5_000_000)
    }
    return false
  }

  /// Ends as the service does.
  func stop(milliseconds: Int = 2_000) async {
    await pipeline.drain(milliseconds: milliseconds)
    events.close()
    deliveries.close()
  }

  /// Ends without another word to the backend.
  func abandon() {
    events.close()
    deliveries.close()
  }
}

final class Waker: Sendable {
  let pipeline = Mutex<DeliveryPipeline?>(nil)
}

/// A directory of its own for one test, removed with the object.
final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "footfall-pipeline-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("left behind: \(path): \(error)")
    }
  }
}
