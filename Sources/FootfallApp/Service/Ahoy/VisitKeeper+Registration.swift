import AhoyTracker
import Effects
import LoopRuntime
import Recording
import Synchronization

// Registering: one request at a time for the current visit, however many need it, and one for each earlier one.
extension VisitKeeper {
  /// Something needs the current visit: a match whose headers are missing, or the start. Returns at once; from any thread.
  func ensure() {
    let now = clock.millisecondsSinceEpoch()
    let isIdle = state.withLock { state in
      !state.isStopped && state.machine.inFlight == nil && state.pause.until <= now
        && state.machine.confirmed(at: now) == nil
    }
    if isIdle { mailbox.post { [self] in ensureNow() } }
  }

  private func ensureNow() {
    let now = clock.millisecondsSinceEpoch()
    let actions = state.withLock { state -> [VisitMachine.Action] in
      guard !state.isStopped, state.pause.until <= now, state.machine.inFlight == nil,
        let record = state.machine.record,
        record.isCurrent(at: now, windowMilliseconds: settings.windowMilliseconds),
        state.refused[record.tokens.visit] == nil,
        case .waiting(let ticket, let actions) = state.machine.ensure(record.tokens, fields: record.fields, at: now)
      else { return [] }
      // Nobody waits for this one.
      _ = state.machine.abandon(ticket)
      return actions
    }
    perform(actions)
  }

  /// Registers the current visit, or the next one when there is none, with these parameters beside those of the
  /// configuration. On the owner's loop.
  func trackVisit(_ parameters: [JSONMember], _ reply: @escaping Reply) {
    let now = clock.millisecondsSinceEpoch()
    let actions = state.withLock { state -> [VisitMachine.Action]? in
      guard !state.isStopped else { return nil }
      let tokens = state.machine.tokens(at: now) { self.tokens.uuidVersion4() }
      let all = fields(settings.parameters + parameters)
      guard case .waiting(let ticket, let actions) = state.machine.track(tokens, fields: all, at: now) else {
        return []
      }
      state.replies[ticket] = reply
      state.refused[tokens.visit] = nil
      return actions
    }
    guard let actions else { return reply(.failure(.reset)) }
    perform(actions)
  }

  /// How it stands with the visit of an event that waits; sees to it that it gets registered.
  func standing(_ tokens: VisitTokens) -> VisitStanding {
    let backend = settings.endpoint.visitsURL
    let (standing, isCurrent) = state.withLock { state -> (VisitStanding, Bool) in
      if let reason = state.refused[tokens.visit] { return (.refused(reason: reason), false) }
      // The ledger has the current visit, too; one that has ended may have been confirmed there alone.
      if let record = known(tokens.visit, state), record.isRegistered(at: backend) {
        return (.registered(fields: record.fields), false)
      }
      let isCurrent = state.machine.record?.tokens.visit == tokens.visit
      return (.pending, isCurrent)
    }
    guard standing == .pending else { return standing }
    if isCurrent, hasCurrentVisit { ensure() } else { mailbox.post { [self] in registerEarlier(tokens) } }
    return .pending
  }

  /// What is known of a visit.
  private func known(_ visit: String, _ state: State) -> VisitRecord? {
    state.ledger[visit] ?? state.strangers[visit]
  }

  private var hasCurrentVisit: Bool {
    let now = clock.millisecondsSinceEpoch()
    return state.withLock {
      $0.machine.record?.isCurrent(at: now, windowMilliseconds: settings.windowMilliseconds) ?? false
    }
  }

  private func registerEarlier(_ tokens: VisitTokens) {
    let now = clock.millisecondsSinceEpoch()
    let record = state.withLock { state -> VisitRecord? in
      guard !state.isStopped, state.pause.until <= now, state.registering.insert(tokens.visit).inserted else {
        return nil
      }
      return known(tokens.visit, state)
        ?? VisitRecord(tokens: tokens, createdAtMilliseconds: now, fields: fields([]))
    }
    guard let record else { return }
    Task { [self] in
      let verdict = await send(VisitRegistration(record))
      mailbox.post { [self] in
        let isDone = state.withLock { state in
          guard !state.isStopped else { return false }
          state.registering.remove(tokens.visit)
          guard verdict == .registered else { return note(verdict, tokens, &state) }
          if !state.ledger.confirm(tokens.visit, by: settings.endpoint.visitsURL) {
            if state.strangers.count >= VisitLedger.capacity { state.strangers = [:] }
            state.strangers[tokens.visit] = record.confirmed(by: settings.endpoint.visitsURL)
          }
          return true
        }
        storeLedger()
        if isDone { onRegistered() }
      }
    }
  }

  // MARK: Performing

  func perform(_ actions: [VisitMachine.Action]) {
    for action in actions {
      switch action {
      case .persist(let record):
        state.withLock { $0.ledger.keep(record) }
        storeLedger()
      case .register(let attempt):
        Task { [self] in
          let verdict = await send(attempt.registration)
          mailbox.post { [self] in answered(attempt, verdict) }
        }
      case .publish:
        onChange()
        onRegistered()
      case .resume(let tickets, let result):
        let replies = state.withLock { state in tickets.compactMap { state.replies.removeValue(forKey: $0) } }
        for reply in replies { reply(result) }
      }
    }
  }

  private func answered(_ attempt: VisitMachine.Attempt, _ verdict: VisitVerdict) {
    let actions = state.withLock { state -> [VisitMachine.Action] in
      guard !state.isStopped, state.machine.inFlight == attempt else { return [] }
      if verdict == .registered {
        state.lastError = nil
        state.pause = RegistrationPause()
      } else if note(verdict, attempt.record.tokens, &state) {
        mailbox.post { [self] in onRegistered() }
      }
      return state.machine.answered(attempt, verdict)
    }
    perform(actions)
  }

  /// Remembers why a registration failed, and lets another follow; returns whether none will.
  private func note(_ verdict: VisitVerdict, _ tokens: VisitTokens, _ state: inout State) -> Bool {
    var asked: Int?
    var isForPeople = false
    let reason: String
    switch verdict {
    case .registered: return true
    case .retry(let milliseconds, let words):
      asked = milliseconds
      reason = words
    case .mismatch(let words), .misconfigured(let words):
      isForPeople = true
      reason = words
    case .tooLarge(let words), .refused(let words):
      state.refused[tokens.visit] = words
      reason = words
    }
    if state.lastError != reason { log.warning("the visit was not registered", ["reason": reason]) }
    state.lastError = reason
    guard state.refused[tokens.visit] == nil else { return true }
    let pause = state.pause.fail(
      asked: asked, isForPeople: isForPeople, now: clock.millisecondsSinceEpoch(), random: self.tokens.sixteenBytes().0)
    Task { [self] in
      try? await Task.sleep(for: .milliseconds(pause + 1))
      ensure()
      onRegistered()
    }
    return false
  }

  /// Sends the registration; one that is too large once more with what names the program alone.
  private func send(_ registration: VisitRegistration) async -> VisitVerdict {
    let verdict = await exchange(registration)
    guard case .tooLarge = verdict else { return verdict }
    return await exchange(registration.withoutParameters)
  }

  private func exchange(_ registration: VisitRegistration) async -> VisitVerdict {
    let outcome: Result<OutboundResponse, TransportError>
    do throws(TransportError) {
      outcome = .success(try await transport.send(settings.endpoint.request(registration)))
    } catch {
      outcome = .failure(error)
    }
    return AhoyAnswer.judge(visit: outcome, for: registration.tokens, at: clock.millisecondsSinceEpoch())
  }
}
