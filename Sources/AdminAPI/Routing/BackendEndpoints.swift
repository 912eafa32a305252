import Effects

// What drives Ahoy and the delivery of events to all backends.
extension AdminEndpoint {
  static let backends = [visit, track, attach, detach, flush, deadLetters, requeue]

  private static let refused = Answer(status: 409, description: "Ahoy is not configured.", schema: "Error")
  private static let noBackend = Answer(status: 409, description: "No backend is configured.", schema: "Error")
  private static let failed = Answer(
    status: 502, description: "The backend did not do its part; it is tried again.", schema: "Error")
  static let unfinished = Answer(
    status: 504, description: "It takes longer than this endpoint waits, and goes on.", schema: "Error")

  private static let visit = AdminEndpoint(
    path: "/visit", method: .post, operationID: "trackVisit",
    summary: "Registers the visit with its parameters; answers once the backend has confirmed it.",
    parameters: [idsParameter], requestSchema: "VisitRequest", isBodyOptional: true,
    answers: [
      Answer(status: 200, description: "The visit.", schema: "Visit"), refused, failed, unfinished,
    ],
    deferred: { (call) throws(AdminError) in
      let ids = try call.disclosure()
      let params = try VisitRequest.params(in: call.optionalBody(example: VisitRequest.example))
      let orders = call.context.backends()
      return { reply in orders.trackVisit(params) { reply(answer($0) { $0.json(ids: ids) }) } }
    })

  private static let track = AdminEndpoint(
    path: "/track", method: .post, operationID: "track",
    summary: "Queues an event; answers once it is stored.", requestSchema: "TrackRequest",
    answers: [
      Answer(status: 202, description: "The event is stored and will be sent.", schema: "TrackAnswer"), noBackend,
    ],
    deferred: { (call) throws(AdminError) in
      let event = try TrackRequest.event(in: AdminBody.object(of: call.request, example: TrackRequest.example))
      let orders = call.context.backends()
      return { reply in
        orders.track(event.name, event.properties) { reply(answer($0, status: 202) { ["id": .string($0)] }) }
      }
    })

  private static let attach = AdminEndpoint(
    path: "/attach", method: .post, operationID: "attachUser",
    summary: "Attaches a user to the events to come. It does not authenticate.", parameters: [idsParameter],
    requestSchema: "AttachRequest",
    answers: [Answer(status: 200, description: "The user is attached.", schema: "AttachAnswer"), refused],
    deferred: { (call) throws(AdminError) in
      let ids = try call.disclosure()
      let user = try AttachRequest.userID(in: AdminBody.object(of: call.request, example: AttachRequest.example))
      let orders = call.context.backends()
      return { reply in orders.attach(user) { reply(answer($0) { ["userID": .string(ids.text(user))] }) } }
    })

  private static let detach = AdminEndpoint(
    path: "/detach", method: .post, operationID: "detachUser", summary: "Detaches the user.",
    requestSchema: "EmptyRequest", isBodyOptional: true,
    answers: [Answer(status: 200, description: "No user is attached.", schema: "AttachAnswer"), refused],
    deferred: { (call) throws(AdminError) in
      try AdminBody.refuseMembers(of: call.optionalBody(example: "{}"), except: [])
      let orders = call.context.backends()
      return { reply in orders.attach(nil) { reply(answer($0) { ["userID": nil] }) } }
    })

  private static let flush = AdminEndpoint(
    path: "/flush", method: .post, operationID: "flush",
    summary: "Sends what waits now; answers when it is delivered or something is in the way.",
    requestSchema: "EmptyRequest", isBodyOptional: true,
    answers: [
      Answer(status: 200, description: "What came of it for each backend.", schema: "FlushAnswer"), noBackend,
      unfinished,
    ],
    deferred: { (call) throws(AdminError) in
      try AdminBody.refuseMembers(of: call.optionalBody(example: "{}"), except: [])
      let orders = call.context.backends()
      return { reply in
        orders.flush { reply(answer($0) { ["backends": .array($0.map(\.json))] }) }
      }
    })

  private static let deadLetters = AdminEndpoint(
    path: "/deadletters", method: .get, operationID: "getDeadLetters",
    summary: "Events that a backend will never take, the oldest first.",
    parameters: [
      Parameter(name: "backend", description: "Those of one backend only."),
      Parameter(name: "after", description: "Those with numbers above this one."),
      Parameter(name: "limit", description: "So many at most, 1 to 1000; 100 unless given."),
    ],
    answers: [Answer(status: 200, description: "Some of them.", schema: "DeadLetters"), noBackend],
    deferred: { (call) throws(AdminError) in
      var query = DeadLetterQuery()
      query.backend = call.query.value(of: "backend").flatMap { $0.isEmpty ? nil : $0 }
      query.after = try call.number("after", 0...Int64.max) ?? 0
      query.limit = Int(clamping: try call.number("limit", 1...1000) ?? 100)
      let (orders, wanted) = (call.context.backends(), query)
      return { reply in orders.deadLetters(wanted) { reply(answer($0) { $0.json }) } }
    })

  private static let requeue = AdminEndpoint(
    path: "/deadletters/requeue", method: .post, operationID: "requeueDeadLetters",
    summary: "Queues dead letters again; their events keep their ids.", requestSchema: "RequeueRequest",
    answers: [Answer(status: 200, description: "How many were queued.", schema: "RequeueAnswer"), noBackend],
    deferred: { (call) throws(AdminError) in
      let choice = try RequeueRequest.choice(in: AdminBody.object(of: call.request, example: RequeueRequest.example))
      let orders = call.context.backends()
      return { reply in
        orders.requeue(choice.ids, choice.backend) {
          reply(answer($0) { ["requeued": .integer(Int64(clamping: $0))] })
        }
      }
    })

  /// The answer to an order.
  static func answer<Value>(
    _ result: Result<Value, OrderRefusal>, status: Int = 200, _ json: (Value) -> JSONValue
  ) -> AdminResponse {
    switch result {
    case .success(let value): .json(json(value), status: status)
    case .failure(let refusal): refusal.error.response
    }
  }
}

extension AdminEndpoint.Call {
  /// The body of a POST that may come without one.
  func optionalBody(example: String) throws(AdminError) -> JSONValue {
    request.body.isEmpty ? [:] : try AdminBody.object(of: request, example: example)
  }

  /// The number that a parameter gives; nil when it is not there.
  fileprivate func number(_ name: String, _ range: ClosedRange<Int64>) throws(AdminError) -> Int64? {
    guard let text = query.value(of: name) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw AdminError(
        .invalidParameter, "The parameter \(name) is no number from \(range.lowerBound) to \(range.upperBound).",
        hint: "Leave it out, or give a number.")
    }
    return number
  }
}
