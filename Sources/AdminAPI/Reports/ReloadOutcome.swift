/// What came of `POST /reload`.
package enum ReloadOutcome: Sendable, Hashable {
  /// The file was valid and is in force; the warnings, one line each, and the digest of its content.
  case reloaded(hash: String, warnings: [String])
  /// The file has errors, one line each; the old configuration stays in force.
  case refused(issues: [String])
  /// The process is ending and takes no new configuration.
  case draining
}
