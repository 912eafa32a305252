package import Effects

/// One thing that must hold for the process to be alive or ready.
package struct HealthCheck: Sendable, Hashable {
  /// A short name: `listeners`, `configuration`, `store`, `accepting`.
  package var name: String
  package var passes: Bool
  /// Why it does not hold, or what was found; one line.
  package var detail: String

  package init(_ name: String, passes: Bool, detail: String = "") {
    self.name = name
    self.passes = passes
    self.detail = detail
  }
}

/// The answer of `/livez`, `/readyz` and `/healthz`.
package struct HealthReport: Sendable, Hashable {
  package var checks: [HealthCheck]

  package init(_ checks: [HealthCheck]) { self.checks = checks }

  package var passes: Bool { checks.allSatisfy(\.passes) }

  /// All checks when asked for, else only those that fail.
  package func json(verbose: Bool) -> JSONValue {
    let shown = verbose ? checks : checks.filter { !$0.passes }
    return .object([
      JSONMember("status", passes ? "ok" : "failing"),
      JSONMember(
        "checks",
        .array(
          shown.map { check in
            .object([
              JSONMember("name", .string(check.name)), JSONMember("passes", .bool(check.passes)),
              JSONMember("detail", .string(check.detail)),
            ])
          })),
    ])
  }
}
