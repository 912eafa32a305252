import Effects
import ProxyConfiguration
import Synchronization

/// What the service tells its operator on standard error: one line per event, a constant message and named details.
///
/// Never a token, never an id, never a URL.
final class ServiceLog: Sendable {
  private let level: Mutex<Configuration.Log.Level>
  private let write: @Sendable (String) -> Void
  private let clock: any WallClock

  /// - Parameter write: takes one line without its end.
  init(level: Configuration.Log.Level, clock: any WallClock, write: @escaping @Sendable (String) -> Void) {
    self.level = Mutex(level)
    self.clock = clock
    self.write = write
  }

  /// Sets the least severe level that is written.
  func setLevel(_ level: Configuration.Log.Level) { self.level.withLock { $0 = level } }

  func error(_ message: StaticString, _ details: KeyValuePairs<StaticString, String> = [:]) {
    log(.error, message, details)
  }

  func warning(_ message: StaticString, _ details: KeyValuePairs<StaticString, String> = [:]) {
    log(.warning, message, details)
  }

  func info(_ message: StaticString, _ details: KeyValuePairs<StaticString, String> = [:]) {
    log(.info, message, details)
  }

  func debug(_ message: StaticString, _ details: KeyValuePairs<StaticString, String> = [:]) {
    log(.debug, message, details)
  }

  private func log(
    _ severity: Configuration.Log.Level, _ message: StaticString, _ details: KeyValuePairs<StaticString, String>
  ) {
    guard severity.rank <= level.withLock({ $0 }).rank else { return }
    let moment = Timestamp.text(millisecondsSinceEpoch: clock.millisecondsSinceEpoch())
    var line = "\(moment) \(severity.rawValue) \(message)"
    for (name, value) in details {
      let isPlain = !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != 0x22 && $0 != 0x3d }
      line += " \(name)=\(isPlain ? value : PrintableText.json(JSONWriter.text(.string(value))))"
    }
    write(line)
  }
}

extension Configuration.Log.Level {
  /// 0 for the most severe.
  fileprivate var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    case .debug: 3
    }
  }
}
