import Effects

extension AdminEndpoint {
  static let reset = AdminEndpoint(
    path: "/reset", method: .post, operationID: "reset",
    summary: "Resets identifiers; answers once the new state is stored.",
    parameters: [idsParameter], requestSchema: "ResetRequest",
    answers: [
      Answer(status: 200, description: "What was done.", schema: "ResetAnswer"),
      Answer(status: 409, description: "Cohorly is not configured; nothing was reset.", schema: "Error"),
      Answer(status: 502, description: "What waits could not be sent; the identity stays.", schema: "Error"),
      unfinished,
    ],
    deferred: { (call) throws(AdminError) in
      let ids = try call.disclosure()
      let request = try ResetRequest(AdminBody.object(of: call.request, example: ResetRequest.example))
      let cohorly = request.targets.contains(.cohorly) ? try call.cohorly() : nil
      let others = request.targets.filter { $0 != .cohorly }
      // On the loop of the endpoint, as all orders that answer at once.
      let results = others.isEmpty ? [] : call.context.reset(others)
      for result in results {
        guard case .failed(let reason) = result.outcome else { continue }
        throw failure(result.target, reason, results, ids)
      }
      guard let cohorly else { return { reply in reply(.json(.object([report(results, ids)]))) } }
      return { reply in
        cohorly.reset(request.flushesFirst) { outcome in
          reply(answer(outcome, request.targets, results, ids))
        }
      }
    })

  private static func answer(
    _ outcome: Result<IdentityReset, OrderRefusal>, _ targets: [ResetTarget], _ others: [ResetResult],
    _ ids: IDDisclosure
  ) -> AdminResponse {
    switch outcome {
    case .success(let reset):
      var results = others
      let place = targets.firstIndex(of: .cohorly) ?? results.endIndex
      results.insert(
        ResetResult(.cohorly, .renewed(id: reset.distinctID), discarded: reset.discarded), at: min(place, results.count)
      )
      return .json(.object([report(results, ids)]))
    case .failure(.store(let reason)):
      return failure(.cohorly, reason, others + [ResetResult(.cohorly, .failed(reason: reason))], ids).response
    case .failure(let refusal):
      var error = refusal.error
      if !others.isEmpty { error.details.append(report(others, ids)) }
      return error.response
    }
  }

  private static func failure(
    _ target: ResetTarget, _ reason: String, _ results: [ResetResult], _ ids: IDDisclosure
  ) -> AdminError {
    AdminError(
      .resetFailed, "Resetting \(target.rawValue) failed: \(reason)",
      hint: "The old state stays in force. Look at the store under state.directory, then try again.",
      details: [report(results, ids)])
  }

  private static func report(_ results: [ResetResult], _ ids: IDDisclosure) -> JSONMember {
    JSONMember("reset", .array(results.map { $0.json(ids: ids) }))
  }
}
