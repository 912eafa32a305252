package import Effects

/// Delivers the events of a store to one backend: performs what a ``DeliveryMachine`` decides.
///
/// Everything it does goes through the seams. Traffic never waits for it: it learns of events by ``committed(upTo:)``,
/// which returns at once.
package actor DeliveryPipeline {
  /// The name of the backend in the store.
  package nonisolated let backend: String

  private var machine: DeliveryMachine
  private let store: any RecordStore
  private let transport: any Transport
  private let clock: any MonotonicClock
  private let wallClock: any WallClock
  private let sleeper: any Sleeper
  private let random: any TokenSource
  private let observer: @Sendable (DeliveryStatus) -> Void

  private var sends: [Int: Task<Void, Never>] = [:]
  private var timer: (moment: UInt64, task: Task<Void, Never>)?
  private var flushes: [Int: CheckedContinuation<FlushReport, Never>] = [:]
  private var drains: [CheckedContinuation<Void, Never>] = []
  private var lastTicket = 0

  /// - Parameters:
  ///   - random: for the jitter of pauses.
  ///   - observer: told the state after each change, in order; must not block.
  package init(
    backend: String, format: any DeliveryFormat, store: any RecordStore, transport: any Transport,
    clock: any MonotonicClock, wallClock: any WallClock, sleeper: any Sleeper, random: any TokenSource,
    options: DeliveryOptions = DeliveryOptions(), observer: @escaping @Sendable (DeliveryStatus) -> Void = { _ in }
  ) {
    self.backend = backend
    machine = DeliveryMachine(backend: backend, format: format, options: options)
    self.store = store
    self.transport = transport
    self.clock = clock
    self.wallClock = wallClock
    self.sleeper = sleeper
    self.random = random
    self.observer = observer
  }

  /// Begins where the last run left off.
  package func start() { handle(.start) }

  /// The store has events up to this number. Does not wait for anything.
  package nonisolated func committed(upTo sequence: Int64) {
    Task { await self.handle(.committed(upTo: sequence)) }
  }

  /// Dead letters were queued again. Does not wait for anything.
  package nonisolated func lettersQueued() {
    Task { await self.handle(.lettersQueued) }
  }

  /// What the format waited for may have happened. Does not wait for anything.
  package nonisolated func resume() {
    Task { await self.handle(.resume) }
  }

  /// Sends everything that is committed now, and tells what came of it: when all is delivered or dead, when something is
  /// in the way, or after ``DeliveryOptions/flushTimeoutMilliseconds``.
  package func flush() async -> FlushReport {
    await learnOfCommits()
    lastTicket &+= 1
    let ticket = lastTicket
    return await withCheckedContinuation { continuation in
      flushes[ticket] = continuation
      handle(.flush(ticket: ticket))
    }
  }

  /// Sends what is committed up to a number without waiting for company. Pauses go on. Does not wait for anything.
  package nonisolated func hurry(upTo sequence: Int64) {
    Task {
      await self.handle(.committed(upTo: sequence))
      await self.handle(.hurry(upTo: sequence))
    }
  }

  /// Forgets what is committed up to a number (now, with nil) and not delivered; returns how many events those were. What
  /// is under way may still arrive, but is not repeated.
  package func discard(upTo sequence: Int64? = nil) async -> Int64 {
    await learnOfCommits()
    let before = machine.status(at: moment()).discarded
    handle(.discard(upTo: sequence ?? .max))
    return machine.status(at: moment()).discarded &- before
  }

  /// Gives what is committed a last chance for so long, saves how far it got, and ends.
  ///
  /// - Parameter sendsMore: Whether anything is sent that is not under way yet.
  package func drain(milliseconds: Int, sendsMore: Bool = true) async {
    await learnOfCommits()
    await withCheckedContinuation { continuation in
      drains.append(continuation)
      handle(.drain(milliseconds: milliseconds, sendsMore: sendsMore))
    }
  }

  /// How the delivery stands.
  package var status: DeliveryStatus { machine.status(at: moment()) }

  private func moment() -> DeliveryMachine.Moment {
    DeliveryMachine.Moment(
      nanoseconds: clock.nanoseconds(), wallMilliseconds: wallClock.millisecondsSinceEpoch(),
      random: random.sixteenBytes().0)
  }

  private func handle(_ input: DeliveryMachine.Input) {
    let moment = moment()
    for action in machine.handle(input, at: moment) { perform(action) }
    schedule(machine.deadline)
    observer(machine.status(at: moment))
  }

  private func perform(_ action: DeliveryMachine.Action) {
    switch action {
    case .load: Task { await self.load() }
    case .read(let sequence, let limit, let bytes):
      Task { await self.read(after: sequence, limit: limit, bytes: bytes) }
    case .readLetters(let limit): Task { await self.readLetters(limit: limit) }
    case .save(let change): Task { await self.save(change) }
    case .send(let request, let number): sends[number] = Task { await self.send(request, number: number) }
    case .cancelSends: for task in sends.values { task.cancel() }
    case .flushed(let ticket, let report): flushes.removeValue(forKey: ticket)?.resume(returning: report)
    case .drained:
      for drain in drains { drain.resume() }
      drains = []
    }
  }

  /// The word of a commit may still be on its way.
  private func learnOfCommits() async {
    do throws(StoreError) {
      handle(.committed(upTo: try await store.committedSequence()))
    } catch {
      // Then what is known already must do; a store that fails shows in the status by its other calls.
      return
    }
  }

  private func load() async {
    do throws(StoreError) {
      let committed = try await store.committedSequence()
      let cursor = try await store.cursor(of: backend)
      handle(.committed(upTo: committed))
      handle(.loaded(.success(cursor)))
    } catch {
      handle(.loaded(.failure(error)))
    }
  }

  private func read(after sequence: Int64, limit: Int, bytes: Int) async {
    do throws(StoreError) {
      handle(.page(.success(try await store.page(of: backend, after: sequence, limit: limit, bytes: bytes))))
    } catch {
      handle(.page(.failure(error)))
    }
  }

  private func readLetters(limit: Int) async {
    do throws(StoreError) {
      handle(.letters(.success(try await store.queuedLetters(of: backend, limit: limit))))
    } catch {
      handle(.letters(.failure(error)))
    }
  }

  private func save(_ change: DeliveryChange) async {
    do throws(StoreError) {
      try await store.save(change, of: backend)
      handle(.saved(nil))
    } catch {
      handle(.saved(error))
    }
  }

  private func send(_ request: OutboundRequest, number: Int) async {
    let outcome: Result<OutboundResponse, TransportError>
    do throws(TransportError) {
      outcome = .success(try await transport.send(request))
    } catch {
      outcome = .failure(error)
    }
    sends[number] = nil
    handle(.answered(request: number, outcome))
  }

  /// One sleeping task at a time, for the earliest moment that matters.
  private func schedule(_ moment: UInt64?) {
    guard timer?.moment != moment else { return }
    timer?.task.cancel()
    timer = nil
    guard let moment, moment < .max else { return }
    timer = (moment, Task { await self.wait(for: moment) })
  }

  private func wait(for moment: UInt64) async {
    // Whatever the machine says: no busy loop.
    await sleeper.sleep(untilNanoseconds: max(moment, clock.nanoseconds() &+ 1_000_000))
    guard !Task.isCancelled, timer?.moment == moment else { return }
    timer = nil
    handle(.timer)
  }
}
