/// The running process as the admin endpoint sees it: one closure per question or order.
///
/// The closures are called on the admin endpoint's own loop. They may take a short, bounded time (a commit, reading the
/// configuration file), during which no other admin request is answered.
package struct AdminContext: Sendable {
  package var status: @Sendable () -> StatusReport
  package var metrics: @Sendable () -> MetricsSnapshot
  /// What must hold for the process to be worth keeping: the loops turn.
  package var liveness: @Sendable () -> [HealthCheck]
  /// What must hold for the process to be given traffic; a check fails while it drains.
  package var readiness: @Sendable () -> [HealthCheck]
  /// Returns once what it did is stored. Never asked for `cohorly`, which `backends` resets.
  package var reset: @Sendable ([ResetTarget]) -> [ResetResult]
  package var reload: @Sendable () -> ReloadOutcome
  /// What the rules in force say about the URL.
  package var testRules: @Sendable (_ url: String) -> RuleTestReport
  /// The backends and the delivery of events, as the configuration has them now; these answer later.
  package var backends: @Sendable () -> BackendOrders

  package init(
    status: @escaping @Sendable () -> StatusReport, metrics: @escaping @Sendable () -> MetricsSnapshot,
    liveness: @escaping @Sendable () -> [HealthCheck], readiness: @escaping @Sendable () -> [HealthCheck],
    reset: @escaping @Sendable ([ResetTarget]) -> [ResetResult], reload: @escaping @Sendable () -> ReloadOutcome,
    testRules: @escaping @Sendable (_ url: String) -> RuleTestReport,
    backends: @escaping @Sendable () -> BackendOrders = { .notConfigured }
  ) {
    self.status = status
    self.metrics = metrics
    self.liveness = liveness
    self.readiness = readiness
    self.reset = reset
    self.reload = reload
    self.testRules = testRules
    self.backends = backends
  }
}
