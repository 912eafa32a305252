import Effects

/// Answers requests: guards first, then the route, then the operation. Holds no state and does no I/O of its own.
package struct AdminRouter: Sendable {
  /// The most bytes a request body may have; longer ones are refused unread.
  package static let bodyLimit = AdminBody.limit

  private let policy: AdminPolicy
  private let context: AdminContext

  package init(policy: AdminPolicy, context: AdminContext) {
    self.policy = policy
    self.context = context
  }

  /// What becomes of the request; refusals are answers too.
  package func respond(to request: AdminRequest) -> AdminAnswer {
    do {
      return try answerOrRefuse(request)
    } catch {
      return .ready(error.response)
    }
  }

  /// Refuses what the guards do not let pass; the body may still be missing.
  ///
  /// A server calls this as soon as it has the head, so that nobody it would refuse can make it read a body.
  package func admit(_ head: AdminRequest) throws(AdminError) {
    try policy.check(head)
    let endpoint = try route(head)
    if endpoint.method == .post { try checkContentType(head) }
  }

  private func answerOrRefuse(_ request: AdminRequest) throws(AdminError) -> AdminAnswer {
    try policy.check(request)
    let endpoint = try route(request)
    if endpoint.method == .post {
      try checkContentType(request)
      guard request.body.count <= AdminRouter.bodyLimit else { throw AdminRouter.bodyTooLarge }
    }
    guard let query = QueryString(request.query ?? "") else {
      throw AdminError(
        .malformedQuery, "The query holds a broken percent-encoding.", hint: "Percent-encode the values as UTF-8.")
    }
    return try endpoint.handler(.init(request: request, query: query, context: context))
  }

  /// The refusal of a body above the limit.
  package static var bodyTooLarge: AdminError {
    AdminError(
      .bodyTooLarge, "The body is larger than \(bodyLimit) bytes.", hint: "Send what the operation needs only.")
  }

  private func route(_ request: AdminRequest) throws(AdminError) -> AdminEndpoint {
    let here = AdminEndpoint.all.filter { $0.path == request.path }
    guard !here.isEmpty else {
      let list = AdminEndpoint.all.map { endpoint in
        JSONValue.object([
          JSONMember("method", .string(endpoint.method.rawValue)), JSONMember("path", .string(endpoint.path)),
          JSONMember("summary", .string(endpoint.summary)),
        ])
      }
      throw AdminError(
        .notFound, "There is nothing under this path.", hint: "Use one of the endpoints listed.",
        details: [JSONMember("endpoints", .array(list))])
    }
    // HEAD is GET without the body (RFC 9110, section 9.3.2).
    let method = request.method == "HEAD" ? "GET" : request.method
    guard let endpoint = here.first(where: { $0.method.rawValue == method }) else {
      let allow = here.map(\.allow).joined(separator: ", ")
      throw AdminError(
        .methodNotAllowed, "\(request.method) is not allowed here.", hint: "Allowed: \(allow).",
        fields: [.init("Allow", allow)])
    }
    return endpoint
  }

  private func checkContentType(_ request: AdminRequest) throws(AdminError) {
    let values = request.values(of: "content-type")
    let media = values.first?.prefix { $0 != ";" }.lowercased().filter { $0 != " " && $0 != "\t" }
    guard values.count == 1, media == "application/json" else {
      throw AdminError(
        .contentTypeNotJSON, "A POST must say that its body is JSON.", hint: "Send \"Content-Type: application/json\".")
    }
  }
}
