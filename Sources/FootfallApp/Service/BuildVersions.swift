import AdminAPI
import LoopRuntime
import RuleEngines
import Storage

extension StatusReport.Versions {
  /// The version of this program (`CHANGELOG.md`).
  static let current = "0.1.0"

  /// What this process was built from and runs on.
  static func ofThisBuild() -> StatusReport.Versions {
    var versions = StatusReport.Versions()
    versions.footfall = current
    #if compiler(>=6.3)
    versions.swift = "6.3"
    #else
    versions.swift = "6.2"
    #endif
    versions.libraries = [
      .init("libevent", EventLoop.libraryVersion), .init("SQLite", EventDatabase.libraryVersion),
      .init("PCRE2", PCRE2PatternEngine.libraryVersion),
    ]
    return versions
  }
}
