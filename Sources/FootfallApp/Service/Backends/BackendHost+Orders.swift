import AdminAPI
import Effects
import EventPipeline
import LoopRuntime
import ProxyConfiguration
import Recording
import Storage

// What an operator may order of the backends.
extension BackendHost {
  /// What the admin endpoint can ask now.
  ///
  /// - Parameters:
  ///   - rules: those of the configuration.
  ///   - settle: hands over to the store what the workers have recorded until now; may block.
  func orders(rules: [Configuration.Rule], settle: @escaping @Sendable () -> Void) -> BackendOrders {
    let (ahoy, cohorly) = (ahoy, cohorly)
    guard ahoy != nil || cohorly != nil else { return .notConfigured }
    return BackendOrders(
      trackVisit: { params, reply in
        guard let ahoy else { return reply(.failure(.notConfigured)) }
        ahoy.trackVisit(params, reply)
      },
      track: { [self] name, properties, reply in
        Task { reply(await track(name, properties)) }
      },
      attach: { userID, reply in
        guard let ahoy else { return reply(.failure(.notConfigured)) }
        reply(stored { () throws(StoreError) in try ahoy.visits.attach(userID) })
      },
      flush: { [self] reply in
        Task { reply(.success(await flush(settle))) }
      },
      deadLetters: { [self] query, reply in
        Task { reply(await letters(query)) }
      },
      requeue: { [self] ids, backend, reply in
        Task { reply(await requeue(ids, backend)) }
      }, cohorly: cohorly.map { orders($0, rules, settle) })
  }

  private func orders(
    _ cohorly: CohorlyService, _ rules: [Configuration.Rule], _ settle: @escaping @Sendable () -> Void
  ) -> CohorlyOrders {
    CohorlyOrders(
      identify: { distinctID, reply in
        reply(stored { () throws(StoreError) in try cohorly.identify(distinctID) })
      },
      people: { [self] changes, reply in
        let count = cohorly.people(changes)
        Task {
          guard await commits({}) else { return reply(.failure(.waits(reason: "the store does not take changes now"))) }
          reply(.success(count))
        }
      },
      flags: { $0(.success(cohorly.flagsReport(rules))) },
      reloadFlags: { reply in
        Task {
          if let reason = await cohorly.reloadFlags() {
            return reply(.failure(.backend(reason: "the flags: \(reason)")))
          }
          reply(.success(cohorly.flagsReport(rules)))
        }
      },
      reset: { [self] flushesFirst, reply in
        Task {
          _ = await commits(settle)
          // What is recorded while the rest is sent is not discarded with it.
          let last = parts.events?.status.lastSequence ?? 0
          if flushesFirst {
            let outcome = await cohorly.delivery.flush()
            guard outcome.isComplete else {
              let reason = outcome.obstacle ?? "\(outcome.remaining) events wait"
              return reply(.failure(.backend(reason: "not everything could be sent first: \(reason)")))
            }
          }
          let outcome: Result<IdentityReset, OrderRefusal>
          do throws(StoreError) {
            outcome = .success(try await cohorly.reset(discardingUpTo: last))
          } catch {
            outcome = .failure(.store(reason: error.description))
          }
          mailbox.post { reply(outcome) }
        }
      })
  }

  /// Stores an event of the moment for all backends.
  private func track(_ name: String, _ properties: [JSONMember]) async -> Result<String, OrderRefusal> {
    guard let events = parts.events else { return .failure(.noBackend) }
    let (ahoy, cohorly) = (ahoy, cohorly)
    let now = parts.clock.millisecondsSinceEpoch()
    let id = parts.tokens.uuidVersion7(millisecondsSinceEpoch: now)
    let members =
      (ahoy?.visits.snapshotPart().eventMembers ?? []) + (cohorly?.keeper.snapshotPart([]).eventMembers ?? [])
    let payload = TrackedEvent.json(
      name: name, id: id, timeMilliseconds: now, properties: properties, members: members)
    let event = QueuedEvent(sequence: 0, id: id, timeMilliseconds: now, payload: payload)
    if let reason = ahoy?.obstacle(to: event) ?? cohorly?.obstacle(to: event) {
      return .failure(.unacceptable(reason: reason))
    }
    events.append(EventRow(id: id, timeMilliseconds: now, payload: payload))
    guard await commits({}) else {
      return .failure(.waits(reason: "the store does not take events now; this one is \(id)"))
    }
    return .success(id)
  }

  /// Commits what was handed in before, on a thread that may block.
  private func commits(_ settle: @escaping @Sendable () -> Void) async -> Bool {
    guard let events = parts.events else { return false }
    return await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try NativeThread(name: "commit") {
          settle()
          continuation.resume(returning: events.flush(timeoutMilliseconds: 2_000))
        }.detach()
      } catch {
        continuation.resume(returning: false)
      }
    }
  }

  private func flush(_ settle: @escaping @Sendable () -> Void) async -> [FlushOutcome] {
    // What was recorded a moment ago goes, too.
    let isCommitted = await commits(settle)
    let pending = all.map { delivery in Task { await delivery.flush() } }
    var outcomes: [FlushOutcome] = []
    for task in pending { outcomes.append(await task.value) }
    for index in outcomes.indices {
      if !isCommitted {
        outcomes[index].isComplete = false
        outcomes[index].obstacle = "events wait in memory: the store does not take them now"
      } else if !outcomes[index].isComplete, outcomes[index].backend == AhoyService.backend,
        let visit = ahoy?.visitReport(), !visit.isRegistered
      {
        outcomes[index].obstacle = "the visit is not registered\(visit.lastError.map { ": \($0)" } ?? "")"
      }
    }
    return outcomes
  }

  private func letters(_ query: DeadLetterQuery) async -> Result<DeadLetterPage, OrderRefusal> {
    guard let deliveries else { return .failure(.noBackend) }
    do throws(StoreError) {
      let letters = try await deliveries.deadLetters(of: query.backend, after: query.after, limit: query.limit)
      let total = try await deliveries.deadLetterCount(of: query.backend)
      return .success(
        DeadLetterPage(letters: letters.map { DeadLetterPage.Letter($0) }, total: UInt64(clamping: total)))
    } catch {
      return .failure(.store(reason: error.description))
    }
  }

  private func requeue(_ ids: [String]?, _ backend: String?) async -> Result<UInt64, OrderRefusal> {
    guard let deliveries else { return .failure(.noBackend) }
    do throws(StoreError) {
      let count = try await deliveries.requeue(ids: ids, of: backend)
      for delivery in all { delivery.lettersQueued() }
      return .success(UInt64(clamping: count))
    } catch {
      return .failure(.store(reason: error.description))
    }
  }
}

/// The result of what a store may fail at, as the answer to an order.
private func stored<Value: Sendable>(_ body: () throws(StoreError) -> Value) -> Result<Value, OrderRefusal> {
  do throws(StoreError) {
    return .success(try body())
  } catch {
    return .failure(.store(reason: error.description))
  }
}

extension DeadLetterPage.Letter {
  fileprivate init(_ letter: DeadLetter) {
    self.init(
      number: letter.number, backend: letter.backend, id: letter.event.id, time: letter.event.timeMilliseconds,
      diedAt: letter.diedAtMilliseconds, reason: letter.reason, isQueued: letter.isQueued,
      payload: String(decoding: letter.event.payload, as: UTF8.self))
  }
}
