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
      let context = call.context
      guard let cohorly else {
        let results = context.reset(others)
        if let failure = failure(in: results, ids) { throw failure }
        return { reply in reply(.json(.object([report(results, ids)]))) }
      }
      // First what can fail for want of a server, so that nothing else has changed then.
      return { reply in
        cohorly.reset(request.flushesFirst) { outcome in
          reply(answer(outcome, request.targets, { others.isEmpty ? [] : context.reset(others) }, ids))
        }
      }
    })

  private static func failure(in results: [ResetResult], _ ids: IDDisclosure) -> AdminError? {
    for result in results {
      guard case .failed(let reason) = result.outcome else { continue }
      return failure(result.target, reason, results, ids)
    }
    return nil
  }

  private static func answer(
    _ outcome: Result<IdentityReset, OrderRefusal>, _ targets: [ResetTarget], _ others: () -> [ResetResult],
    _ ids: IDDisclosure
  ) -> AdminResponse {
    switch outcome {
    case .success(let reset):
      var results = others()
      let place = targets.firstIndex(of: .cohorly) ?? results.endIndex
      results.insert(
        ResetResult(.cohorly, .renewed(id: reset.distinctID), discarded: reset.discarded), at: min(place, results.count)
      )
      return failure(in: results, ids)?.response ?? .json(.object([report(results, ids)]))
    case .failure(.store(let reason)):
      return failure(.cohorly, reason, [ResetResult(.cohorly, .failed(reason: reason))], ids).response
    case .failure(let refusal): return refusal.error.response
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
