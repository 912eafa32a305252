import AdminAPI
import Effects
import LoopRuntime
import ProxyConfiguration
import ProxyCore
import ProxyServer
import Storage
import URLRules
import VisitorID

// What the admin endpoint asks and orders; its closures run on the loop that owns this object.
extension FootfallProxy {
  func adminContext() -> AdminContext {
    let bound = LoopBound(Weak(self), on: adminLoop)
    return AdminContext(
      status: { bound.value.proxy?.statusReport() ?? StatusReport() },
      metrics: { bound.value.proxy?.metrics() ?? MetricsSnapshot() },
      liveness: { bound.value.proxy?.liveness() ?? [] },
      readiness: { bound.value.proxy?.readiness() ?? [] },
      reset: { targets in bound.value.proxy?.reset(targets) ?? [] },
      reload: { bound.value.proxy?.reload() ?? .draining },
      testRules: { url in
        bound.value.proxy.map {
          RuleTestReport($0.publisher.ingredients.rules.explain(url), configured: $0.configuration.rules)
        }
          ?? RuleTestReport(url: url, canonical: nil, refusal: nil, effects: [], rules: [])
      },
      backends: { [service, recorder = parts.recorder] in
        guard let proxy = bound.value.proxy else { return .notConfigured }
        return proxy.backends.orders(rules: proxy.configuration.rules) {
          service.handOverRecords(waitMilliseconds: 1_000)
          recorder.settle(milliseconds: 2_000)
        }
      })
  }

  private struct Weak {
    weak var proxy: FootfallProxy?
    init(_ proxy: FootfallProxy) { self.proxy = proxy }
  }

  // MARK: Questions

  func statusReport() -> StatusReport {
    let counts = ServiceCounts(service)
    let now = parts.clock.millisecondsSinceEpoch()
    var report = StatusReport()
    report.phase = isDraining ? .draining : .running
    report.processID = ProcessFacts.identifier
    report.startedAt = startedAt
    report.uptimeSeconds = Double(max(now - startedAt, 0)) / 1000
    report.versions = versions
    report.configuration = configurationReport
    report.traffic.listen = service.endpoints.map(\.description)
    report.traffic.workers = counts.workers
    counts.fill(&report.traffic)
    report.traffic.connectionLimit = Int64(publisher.box.snapshot.settings.limits.connections)
    report.visitor = visitorReport()
    report.rules = configuration.rules.enumerated().map { index, rule in
      StatusReport.Rule(
        name: rule.name, matchers: rule.matchers.map(\.kind.text), effects: ruleEffects(rule),
        matched: counts.matched(index), failed: counts.failed(index), gate: rule.gate?.text)
    }
    for dropped in configuration.droppedRules {
      let reason = dropped.reasons.map(\.description).joined(separator: "; ")
      if let rest = dropped.rest, report.rules.indices.contains(rest) {
        report.rules[rest].reason = reason
      } else {
        report.rules.append(.init(name: dropped.name, matchers: [], effects: [], matched: 0, failed: 0, reason: reason))
      }
    }
    report.events = eventsReport()
    report.ahoy = backends.ahoy?.visitReport()
    report.cohorly = backends.cohorly?.statusReport()
    report.deliveries = backends.all.map { $0.report() }
    return report
  }

  private func ruleEffects(_ rule: Configuration.Rule) -> [String] {
    Configuration.Injection.allCases.filter(rule.inject.contains).map(\.rawValue) + (rule.record ? ["record"] : [])
  }

  private func eventsReport() -> StatusReport.Events? {
    parts.events.map {
      StatusReport.Events(
        $0.status, file: "\(parts.stateDirectory)/events.sqlite3", unrecorded: parts.recorder.dropped)
    }
  }

  private func visitorReport() -> StatusReport.Visitor {
    var visitor = StatusReport.Visitor()
    switch configuration.visitorID {
    case .disabled: visitor.state = .off
    case .invalid(let reasons):
      visitor.state = .invalid
      visitor.reasons = reasons.map(\.description)
    case .enabled(let feature, let degraded):
      visitor.state = .on
      visitor.reasons = degraded.map(\.description)
      visitor.header = feature.header
      visitor.ttlHours = feature.ttlHours
    }
    if let current = publisher.ingredients.visitorID?.currentSnapshot() {
      visitor.id = current.id
      visitor.createdAt = current.createdAtMilliseconds
      visitor.expiresAt = current.expiresAtMilliseconds
      if !current.isPersisted { visitor.reasons.append("the id could not be stored: it will not survive a restart") }
    }
    return visitor
  }

  func metrics() -> MetricsSnapshot {
    let counts = ServiceCounts(service)
    var metrics = MetricsSnapshot()
    metrics.versions = versions
    metrics.configurationHash = configurationReport.hash
    metrics.configurationLoadedAt = configurationReport.loadedAt
    metrics.lastReloadSucceeded = configurationReport.lastReload?.succeeded ?? true
    metrics.isReady = readiness(counts).allSatisfy(\.passes)
    counts.fill(&metrics)
    metrics.rules = configuration.rules.enumerated().map {
      .init(rule: $0.element.name, matched: counts.matched($0.offset), failed: counts.failed($0.offset))
    }
    metrics.injected = publisher.box.snapshot.injections.enumerated().map { index, injection in
      let count = index < counts.counters.injected.count ? counts.counters.injected[index] : 0
      return .init(String(decoding: injection.name, as: UTF8.self), UInt64(clamping: count))
    }
    metrics.events = eventsReport()
    metrics.cohorly = backends.cohorly?.statusReport()
    metrics.gates = parts.asked.counts
    metrics.deliveries = backends.all.map { $0.report() }
    metrics.hasRegisteredVisit = backends.ahoy?.visitReport().isRegistered
    metrics.process = ProcessFacts.read(startedAtMilliseconds: startedAt)
    return metrics
  }

  func liveness() -> [HealthCheck] { [FootfallProxy.loops(ServiceCounts(service))] }

  func readiness() -> [HealthCheck] { readiness(ServiceCounts(service)) }

  private func readiness(_ counts: ServiceCounts) -> [HealthCheck] {
    let events = parts.events?.status
    return [
      FootfallProxy.loops(counts),
      HealthCheck(
        "state", passes: watch?.stateIsInPlace ?? true,
        detail: watch?.stateIsInPlace ?? true ? "" : "the state directory was removed or replaced"),
      HealthCheck("accepting", passes: !isDraining, detail: isDraining ? "the proxy is draining" : ""),
      HealthCheck(
        "events", passes: !(events?.isFailing ?? false),
        detail: events?.isFailing ?? false ? events?.lastError?.description ?? "events cannot be written" : ""),
    ]
  }

  private static func loops(_ counts: ServiceCounts) -> HealthCheck {
    HealthCheck(
      "workers", passes: counts.isAlive,
      detail: counts.isAlive ? "" : "\(counts.workers - counts.answered) of \(counts.workers) do not answer")
  }

  // MARK: Orders

  func reset(_ targets: [ResetTarget]) -> [ResetResult] {
    targets.map { target in
      switch target {
      case .visitorID: ResetResult(target, resetVisitorID())
      // Ordered of the backend, as it answers later.
      // Reset by the orders for backends, because what waits may have to be sent first.
      case .cohorly: ResetResult(target, .failed(reason: "it is no order for this moment"))
      case .visit: ResetResult(target, backends.ahoy.map { .renewed(id: $0.visits.reset()) } ?? .cleared)
      }
    }
  }

  private func resetVisitorID() -> ResetResult.Outcome {
    let outcome: ResetResult.Outcome
    do throws(StoreError) {
      if let visitorID = publisher.ingredients.visitorID {
        outcome = .renewed(id: try visitorID.reset())
      } else {
        if let state = parts.state { try VisitorID.forget(in: state) }
        outcome = .cleared
      }
    } catch {
      return .failed(reason: error.description)
    }
    publisher.renew()
    log.info("the visitor id was reset")
    return outcome
  }
}

extension Configuration.Matcher.Kind {
  /// The matcher in words.
  var text: String {
    switch self {
    case .prefix(let text): "prefix \(text)"
    case .regex(let text): "regex \(text)"
    }
  }
}
