/// Where a command writes: data to the output, diagnostics to the error output.
package struct Console: Sendable {
  /// What became of a write.
  package enum WriteOutcome: Sendable, Hashable {
    case written
    /// Nobody reads any more.
    case closed
    case failed(reason: String)
  }

  package enum Style: String, Sendable {
    case bold = "1"
    case dim = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
  }

  private let writeOutput: @Sendable ([UInt8]) -> WriteOutcome
  private let writeError: @Sendable ([UInt8]) -> WriteOutcome
  private let colorsOutput: Bool
  private let colorsError: Bool

  package init(_ environment: CommandEnvironment, allowsColor: Bool) {
    writeOutput = environment.writeOutput
    writeError = environment.writeError
    let variables = environment.variables
    let wanted = allowsColor && (variables["NO_COLOR"] ?? "").isEmpty && variables["TERM"] != "dumb"
    colorsOutput = wanted && environment.outputIsTerminal
    colorsError = wanted && environment.errorIsTerminal
  }

  /// Writes one line of data.
  package func print(_ line: String = "") throws(CommandFailure) { try write(line + "\n") }

  /// Writes data as it is.
  package func write(_ text: String) throws(CommandFailure) {
    switch writeOutput(Array(text.utf8)) {
    case .written: return
    case .closed: throw .outputClosed
    case .failed(let reason): throw CommandFailure(.inputOutput, "cannot write the output: \(reason)")
    }
  }

  /// Writes one line of diagnostics; there is nowhere left to report that this fails.
  package func note(_ line: String) { _ = writeError(Array((line + "\n").utf8)) }

  /// Says why the command ends.
  package func report(_ failure: CommandFailure) {
    guard let message = failure.message else { return }
    let mark = colorsError ? Console.styled("error:", [.bold, .red]) : "error:"
    note("footfall: \(mark) \(PrintableText.line(message))")
    for line in failure.details { note("  \(PrintableText.line(line))") }
    if let hint = failure.hint { note("  \(PrintableText.line(hint))") }
  }

  /// The text in that style when the output is a terminal that shows it.
  package func styled(_ text: String, _ styles: Style...) -> String {
    colorsOutput ? Console.styled(text, styles) : text
  }

  private static func styled(_ text: String, _ styles: [Style]) -> String {
    "\u{1b}[\(styles.map(\.rawValue).joined(separator: ";"))m\(text)\u{1b}[0m"
  }
}
