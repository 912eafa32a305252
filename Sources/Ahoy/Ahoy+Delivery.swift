import AhoyTracker
import Effects
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How events reach the server.
extension Ahoy {
  /// The visit that events belong to, registered first when need be.
  func tokensForEvents() async throws -> VisitTokens {
    guard configuration.automaticVisitRenewal else {
      guard let entry = board.latest else { throw AhoyError.noVisit }
      return entry.record.tokens
    }
    let visit = try await ensureCurrentVisit()
    return VisitTokens(visit: visit.visitToken, visitor: visit.visitorToken)
  }

  /// Sends the events in as many requests as they need. One that is refused for its content does not keep the others; any
  /// other failure ends the sending.
  func send(_ events: [PreparedEvent], _ tokens: VisitTokens) async throws {
    var refusal: AhoyError?
    var rest = events[...]
    while !rest.isEmpty {
      // An event that is too large alone is sent all the same: the server may have other limits.
      let count = max(1, EventsRequest.fit(rest, tokens: tokens, limits: configuration.limits).count)
      let response = try await post(rest.prefix(count), tokens)
      switch AhoyAnswer.judge(events: .success(response), at: now) {
      case .delivered: break
      case .split: refusal = refusal ?? response.error
      case .retry, .misconfigured: throw response.error
      }
      rest = rest.dropFirst(count)
    }
    if let refusal { throw refusal }
  }

  // MARK: In the background

  private static let maximumAttempts = 10

  /// What a server may ask for, in milliseconds.
  private static let longestWait = 600_000

  /// Delivers what waits until nothing does.
  func deliverQueue() async {
    while true {
      let batch = queue.next(configuration.limits.maximumEvents)
      if batch.isEmpty { return }
      var tokens: VisitTokens?
      await deliver(batch[...], &tokens)
    }
  }

  /// Tries until the events are stored or given up.
  ///
  /// - Parameter tokens: Those of the first request, which all later ones keep: the server may have stored some of it.
  private func deliver(_ batch: ArraySlice<EventQueue.Entry>, _ tokens: inout VisitTokens?) async {
    var rest = batch
    var attempt = 0
    while !rest.isEmpty {
      attempt += 1
      var wait: Int?
      let failure: any Error
      do {
        let visit: VisitTokens
        if let tokens { visit = tokens } else { visit = try await tokensForEvents() }
        tokens = visit
        let count = max(
          1, EventsRequest.fit(rest.lazy.map(\.prepared), tokens: visit, limits: configuration.limits).count)
        let response = try await post(rest.prefix(count).map(\.prepared)[...], visit)
        failure = response.error
        switch AhoyAnswer.judge(events: .success(response), at: now) {
        case .delivered:
          rest = rest.dropFirst(count)
          attempt = 0
          continue
        case .split where count > 1:
          await deliver(rest.prefix(count / 2), &tokens)
          await deliver(rest.dropFirst(count / 2).prefix(count - count / 2), &tokens)
          rest = rest.dropFirst(count)
          attempt = 0
          continue
        case .split:
          giveUp(rest.removeFirst().event, failure)
          attempt = 0
          continue
        case .retry(let after, _): wait = after
        case .misconfigured: break
        }
      } catch {
        failure = error
      }
      guard attempt < Self.maximumAttempts else {
        for entry in rest { giveUp(entry.event, failure) }
        return
      }
      await seams.sleep(max(min(wait ?? 0, Self.longestWait), pause(after: attempt)))
    }
  }

  /// Milliseconds before the next attempt: a second after the first failure, doubling up to a minute, less by chance, so
  /// that clients that failed together do not come back together.
  private func pause(after attempt: Int) -> Int {
    let longest = min(60_000, 1000 << min(attempt - 1, 6))
    return longest / 2 + Int(Double(longest / 2) * min(max(seams.jitter(), 0), 1))
  }

  nonisolated func giveUp(_ event: Event, _ error: any Error) { configuration.undeliveredEventHandler?(event, error) }

  // MARK: Requests

  private func post(_ events: ArraySlice<PreparedEvent>, _ tokens: VisitTokens) async throws -> OutboundResponse {
    try await post(configuration.eventsURL, tokens, EventsRequest(tokens: tokens, events: Array(events)).body)
  }

  /// Sends a body with the tokens of its visit.
  func post(_ url: URL, _ tokens: VisitTokens, _ body: [UInt8]) async throws -> OutboundResponse {
    var request = URLRequest(url: url, timeoutInterval: 30)
    request.httpMethod = "POST"
    request.httpBody = Data(body)
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    request.setValue(configuration.userAgent, forHTTPHeaderField: "User-Agent")
    for interceptor in requestInterceptors { interceptor.interceptRequest(&request) }
    request.setValue(AhoyEndpoint.contentType, forHTTPHeaderField: "Content-Type")
    for field in tokens.fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
    let (data, response) = try await configuration.urlRequestHandler(request)
    guard let response = response as? HTTPURLResponse else {
      throw AhoyError.unacceptableResponse(code: 0, data: data)
    }
    let fields = ["Retry-After", "Date"].compactMap { name in
      response.value(forHTTPHeaderField: name).map { OutboundField(name, $0) }
    }
    return OutboundResponse(status: response.statusCode, fields: fields, body: Array(data))
  }
}
