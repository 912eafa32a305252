/// Why a command ends early: the exit code, what is wrong, what to do about it.
package struct CommandFailure: Error, Sendable, Hashable {
  package var code: ExitCode
  /// Nil when nothing is left to say: the reader of the output has gone.
  package var message: String?
  package var hint: String?
  /// More about it, one line each, between message and hint.
  package var details: [String]

  package init(_ code: ExitCode, _ message: String?, hint: String? = nil, details: [String] = []) {
    self.code = code
    self.message = message
    self.hint = hint
    self.details = details
  }

  /// Whoever read the output has read enough; that is no failure of ours.
  package static let outputClosed = CommandFailure(.ok, nil)
}
