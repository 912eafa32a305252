import AdminAPI
import AhoyTracker
import Effects
import Synchronization

extension VisitKeeper {
  func report(_ record: VisitRecord) -> VisitReport {
    VisitReport(
      visitToken: record.tokens.visit, visitorToken: record.tokens.visitor,
      isRegistered: record.isRegistered(at: settings.endpoint.visitsURL), createdAt: record.createdAtMilliseconds,
      expiresAt: record.expiry(windowMilliseconds: settings.windowMilliseconds))
  }

  /// What is known of the visit; without the endpoint.
  func statusReport() -> StatusReport.Ahoy {
    let now = clock.millisecondsSinceEpoch()
    return state.withLock { state in
      var report = StatusReport.Ahoy()
      report.userID = state.userID
      report.lastError = state.lastError
      guard let record = state.machine.record,
        record.isCurrent(at: now, windowMilliseconds: settings.windowMilliseconds)
      else { return report }
      report.visitToken = record.tokens.visit
      report.visitorToken = record.tokens.visitor
      report.isRegistered = state.machine.confirmed(at: now) != nil
      report.createdAt = record.createdAtMilliseconds
      report.expiresAt = record.expiry(windowMilliseconds: settings.windowMilliseconds)
      return report
    }
  }
}
