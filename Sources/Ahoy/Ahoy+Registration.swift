import AhoyTracker
import Effects
import Foundation

/// How a visit comes to be confirmed: what the machine decides, done.
extension Ahoy {
  nonisolated var now: Int64 { seams.clock.millisecondsSinceEpoch() }

  nonisolated var currentEntry: VisitBoard.Entry? { board.latest.flatMap { isCurrent($0) ? $0 : nil } }

  nonisolated func isCurrent(_ entry: VisitBoard.Entry) -> Bool {
    // Who manages visits alone decides alone when one ends.
    guard configuration.automaticVisitRenewal else { return true }
    return entry.record.isCurrent(at: now, windowMilliseconds: configuration.windowMilliseconds)
      && tokenManager.visitToken == entry.record.tokens.visit
  }

  func registered(
    additionalParams: [String: any Encodable & Sendable], evenIfCurrent: Bool
  ) async throws -> Visit {
    let tokens = VisitTokens(visit: tokenManager.visitToken, visitor: tokenManager.visitorToken)
    if !evenIfCurrent, let entry = board.latest, machine.confirmed(at: now)?.tokens == tokens { return entry.visit }
    let admission: VisitMachine.Admission
    if machine.inFlight != nil {
      admission = machine.track(tokens, fields: [], at: now)
    } else {
      // The server would remove what is no part of a token, and confirm another visit.
      guard tokens.areValid else { throw AhoyError.mismatchingVisit }
      let params = (configuration.visitParams?() ?? [:]).merging(additionalParams) { $1 }
      let environment = configuration.environment
      let fields = VisitFields.merged(
        platform: environment.platform, appVersion: environment.appVersion, osVersion: environment.osVersion,
        parameters: try EncodedValues.fields(params))
      draft = Visit(
        visitorToken: tokens.visitor, visitToken: tokens.visit, userId: userId,
        additionalParams: params.isEmpty ? nil : params)
      admission = machine.track(tokens, fields: fields, at: now)
    }
    switch admission {
    case .current(let record): return visit(record)
    case .waiting(let ticket, let actions):
      perform(actions)
      return try await confirmation(ticket)
    }
  }

  /// What callers get for a confirmed record: the draft of its registration.
  private func visit(_ record: VisitRecord) -> Visit {
    if let draft, draft.visitToken == record.tokens.visit { return draft }
    return Visit(
      visitorToken: record.tokens.visitor, visitToken: record.tokens.visit, userId: nil, additionalParams: nil)
  }

  private func confirmation(_ ticket: VisitMachine.Ticket) async throws -> Visit {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiting[ticket] = $0 }
    } onCancel: {
      // Runs behind the line above, which keeps the actor until the continuation is stored.
      Task { await self.abandon(ticket) }
    }
  }

  private func abandon(_ ticket: VisitMachine.Ticket) {
    guard machine.abandon(ticket) else { return }
    waiting.removeValue(forKey: ticket)?.resume(throwing: CancellationError())
  }

  private func perform(_ actions: [VisitMachine.Action], failure: (any Error)? = nil) {
    for action in actions {
      switch action {
      // The tokens are kept by their manager. That they are confirmed is asked again after a restart.
      case .persist: continue
      case .register(let attempt): Task { await register(attempt) }
      case .publish(let record): board.publish(VisitBoard.Entry(record: record, visit: visit(record)))
      case .resume(let tickets, let result):
        for ticket in tickets {
          guard let caller = waiting.removeValue(forKey: ticket) else { continue }
          switch result {
          case .success(let record): caller.resume(returning: visit(record))
          case .failure(let error): caller.resume(throwing: failure ?? error)
          }
        }
      }
    }
  }

  private func register(_ attempt: VisitMachine.Attempt) async {
    let tokens = attempt.record.tokens
    do {
      var response = try await post(configuration.visitsURL, tokens, attempt.registration.body)
      var verdict = AhoyAnswer.judge(visit: .success(response), for: tokens)
      let smaller = attempt.registration.withoutParameters
      if case .tooLarge = verdict, smaller != attempt.registration {
        response = try await post(configuration.visitsURL, tokens, smaller.body)
        verdict = AhoyAnswer.judge(visit: .success(response), for: tokens)
      }
      var failure: any Error = response.error
      if case .mismatch = verdict, AhoyAnswer.echoedTokens(response.body) != nil {
        failure = AhoyError.mismatchingVisit
      }
      perform(machine.answered(attempt, verdict), failure: failure)
    } catch {
      let verdict = VisitVerdict.retry(afterMilliseconds: nil, reason: "\(error)")
      perform(machine.answered(attempt, verdict), failure: error)
    }
  }
}

extension OutboundResponse {
  /// The answer as an error.
  var error: AhoyError { .unacceptableResponse(code: status, data: Data(body)) }
}
