import Effects
import Storage

/// Looks every few seconds at what fails in silence, and tells the log of each change once.
final class ServiceWatch {
  private let parts: ServiceParts
  private let log: ServiceLog
  private var logFailures: Int64 = 0
  private(set) var stateIsInPlace = true

  init(_ parts: ServiceParts, log: ServiceLog) {
    self.parts = parts
    self.log = log
  }

  /// One look.
  func look() {
    if let status = parts.recorder.log?.status, status.failures > logFailures {
      logFailures = status.failures
      log.error(
        "the access log cannot be written",
        ["reason": status.lastError?.description ?? "", "dropped": "\(status.dropped)"])
    }
    let isInPlace = parts.directory.isInPlace
    if stateIsInPlace, !isInPlace {
      log.error(
        "the state directory was removed or replaced; what is stored now is lost at the end",
        ["directory": parts.stateDirectory])
    }
    stateIsInPlace = isInPlace
  }
}
