import Effects

// What drives Cohorly: its identity, its profile, its flags.
extension AdminEndpoint {
  static let cohorly = [identify, people, flags, reloadFlags]

  private static let refused = Answer(status: 409, description: "Cohorly is not configured.", schema: "Error")

  private static let identify = AdminEndpoint(
    path: "/identify", method: .post, operationID: "identify",
    summary: "Makes this the identity of what follows; answers once it is stored. It does not authenticate.",
    parameters: [idsParameter], requestSchema: "IdentifyRequest",
    answers: [Answer(status: 200, description: "The identity.", schema: "Identity"), refused],
    deferred: { (call) throws(AdminError) in
      let ids = try call.disclosure()
      let id = try IdentifyRequest.distinctID(in: AdminBody.object(of: call.request, example: IdentifyRequest.example))
      let orders = try call.cohorly()
      return { reply in orders.identify(id) { reply(answer($0) { $0.json(ids: ids) }) } }
    })

  private static let people = AdminEndpoint(
    path: "/people", method: .post, operationID: "changeProfile",
    summary: "Queues changes of the profile of the identity; answers once they are stored.",
    requestSchema: "PeopleRequest",
    answers: [
      Answer(status: 202, description: "The changes are stored and will be sent.", schema: "PeopleAnswer"), refused,
    ],
    deferred: { (call) throws(AdminError) in
      let changes = try PeopleRequest.changes(in: AdminBody.object(of: call.request, example: PeopleRequest.example))
      let orders = try call.cohorly()
      return { reply in
        orders.people(changes) { reply(answer($0, status: 202) { ["queued": .integer(Int64(clamping: $0))] }) }
      }
    })

  private static let flags = AdminEndpoint(
    path: "/flags", method: .get, operationID: "getFlags",
    summary: "What is known of the flags, and what it makes of the rules. Counts as no use of them.",
    parameters: [idsParameter],
    answers: [Answer(status: 200, description: "The flags and the rules that ask them.", schema: "Flags"), refused],
    deferred: { (call) throws(AdminError) in
      let ids = try call.disclosure()
      let orders = try call.cohorly()
      return { reply in orders.flags { reply(answer($0) { $0.json(ids: ids) }) } }
    })

  private static let reloadFlags = AdminEndpoint(
    path: "/flags/reload", method: .post, operationID: "reloadFlags",
    summary: "Evaluates the flags again; answers when that is done. After a failure the values before stay.",
    parameters: [idsParameter], requestSchema: "EmptyRequest", isBodyOptional: true,
    answers: [
      Answer(status: 200, description: "The flags now, and the rules that ask them.", schema: "Flags"), refused,
      Answer(status: 502, description: "The server did not evaluate them; nothing changed.", schema: "Error"),
      unfinished,
    ],
    deferred: { (call) throws(AdminError) in
      let ids = try call.disclosure()
      try AdminBody.refuseMembers(of: call.optionalBody(example: "{}"), except: [])
      let orders = try call.cohorly()
      return { reply in orders.reloadFlags { reply(answer($0) { $0.json(ids: ids) }) } }
    })
}

extension AdminEndpoint.Call {
  /// What takes the orders for Cohorly.
  func cohorly() throws(AdminError) -> CohorlyOrders {
    guard let orders = context.backends().cohorly else { throw OrderRefusal.cohorlyNotConfigured.error }
    return orders
  }
}
