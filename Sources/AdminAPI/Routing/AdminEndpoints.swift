import Effects

extension AdminEndpoint {
  /// Every operation there is.
  package static let all: [AdminEndpoint] =
    [status, metrics] + health + [reset, reload, testRules] + backends + cohorly + [openAPI]

  private static let status = AdminEndpoint(
    path: "/status", method: .get, operationID: "getStatus",
    summary: "The state of the proxy and the reasons for it.",
    parameters: [idsParameter],
    answers: [Answer(status: 200, description: "The state.", schema: "Status")],
    handler: { (call) throws(AdminError) in
      .json(call.context.status().json(ids: try call.disclosure()))
    })

  private static let metrics = AdminEndpoint(
    path: "/metrics", method: .get, operationID: "getMetrics",
    summary: "Counters and gauges in the Prometheus text format 0.0.4.",
    answers: [Answer(status: 200, description: "The metrics.", schema: nil)],
    handler: { (call) throws(AdminError) in
      AdminResponse(
        contentType: PrometheusText.contentType,
        body: Array(PrometheusText.render(call.context.metrics().families).utf8))
    })

  private static let health: [AdminEndpoint] = [
    healthEndpoint("/livez", "getLiveness", "Whether the process is worth keeping.") { $0.liveness() },
    healthEndpoint("/readyz", "getReadiness", "Whether the proxy accepts traffic; failing while it drains.") {
      $0.readiness()
    },
    healthEndpoint("/healthz", "getHealth", "The same as /readyz, under its older name.") { $0.readiness() },
  ]

  private static func healthEndpoint(
    _ path: String, _ operationID: String, _ summary: String,
    _ checks: @escaping @Sendable (AdminContext) -> [HealthCheck]
  ) -> AdminEndpoint {
    AdminEndpoint(
      path: path, method: .get, operationID: operationID, summary: summary,
      parameters: [Parameter(name: "verbose", description: "Show the checks that pass, too.")],
      answers: [
        Answer(status: 200, description: "All checks pass.", schema: "Health"),
        Answer(status: 503, description: "A check fails.", schema: "Health"),
      ],
      handler: { (call) throws(AdminError) in
        let report = HealthReport(checks(call.context))
        return .json(report.json(verbose: call.query.contains("verbose")), status: report.passes ? 200 : 503)
      })
  }

  private static let reload = AdminEndpoint(
    path: "/reload", method: .post, operationID: "reload",
    summary: "Reads the configuration file again; an invalid one leaves the old in force.",
    requestSchema: "ReloadRequest", isBodyOptional: true,
    answers: [
      Answer(status: 200, description: "The new configuration is in force.", schema: "ReloadAnswer"),
      Answer(status: 409, description: "The proxy is draining.", schema: "Error"),
      Answer(status: 422, description: "The file has errors; nothing changed.", schema: "Error"),
    ],
    handler: { (call) throws(AdminError) in
      if !call.request.body.isEmpty {
        try AdminBody.refuseMembers(of: AdminBody.object(of: call.request, example: "{}"), except: [])
      }
      switch call.context.reload() {
      case .reloaded(let hash, let warnings):
        return .json(
          .object([
            JSONMember("reloaded", true), JSONMember("path", .string(call.context.status().configuration.path)),
            JSONMember("hash", .string(hash)),
            JSONMember("warnings", .array(warnings.map { .string($0) })),
          ]))
      case .refused(let issues):
        throw AdminError(
          .configurationInvalid, "The configuration file has errors; the old configuration stays in force.",
          hint: "Correct the issues; `footfall check` shows them with their source lines.",
          details: [JSONMember("issues", .array(issues.map { .string($0) }))])
      case .draining:
        throw AdminError(
          .draining, "The proxy is ending and takes no new configuration.", hint: "Reload the process that replaces it."
        )
      }
    })

  private static let testRules = AdminEndpoint(
    path: "/rules/test", method: .get, operationID: "testRules",
    summary: "What the rules in force say about one URL.",
    parameters: [Parameter(name: "url", description: "The URL, percent-encoded.", isRequired: true)],
    answers: [Answer(status: 200, description: "The verdict and its reasons.", schema: "RuleTest")],
    handler: { (call) throws(AdminError) in
      guard let url = call.query.value(of: "url"), !url.isEmpty else {
        throw AdminError(
          .missingParameter, "The parameter url is missing.",
          hint: "Ask for /rules/test?url=http%3A%2F%2Fexample.com%2F, with the URL percent-encoded.")
      }
      return .json(call.context.testRules(url).json)
    })

  private static let openAPI = AdminEndpoint(
    path: "/openapi.json", method: .get, operationID: "getOpenAPI",
    summary: "This description, as an OpenAPI 3.1 document.",
    answers: [Answer(status: 200, description: "The document.", schema: "OpenAPI")],
    handler: { (call) throws(AdminError) in
      .json(OpenAPIDocument.json(version: call.context.status().versions.footfall))
    })

  static let idsParameter = Parameter(
    name: "ids", description: "Show identifiers masked (the default) or in full.",
    values: IDDisclosure.allCases.map(\.rawValue))
}

extension AdminEndpoint.Call {
  /// What `?ids=` asks for.
  func disclosure() throws(AdminError) -> IDDisclosure {
    guard let text = query.value(of: "ids") else { return .masked }
    guard let disclosure = IDDisclosure(rawValue: text) else {
      throw AdminError(
        .invalidParameter, "The parameter ids has an unknown value.", hint: "Use ids=masked or ids=full.")
    }
    return disclosure
  }
}
