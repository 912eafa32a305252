package import AdminAPI

/// The world as a command sees it: arguments, variables, files, the two outputs. Tests hand in their own.
package struct CommandEnvironment: Sendable {
  /// The arguments without the program's name.
  package var arguments: [String]
  /// The environment variables.
  package var variables: [String: String]
  package var writeOutput: @Sendable ([UInt8]) -> Console.WriteOutcome
  package var writeError: @Sendable ([UInt8]) -> Console.WriteOutcome
  package var outputIsTerminal: Bool
  package var errorIsTerminal: Bool
  package var readFile: @Sendable (_ path: String) -> FileReading
  /// Milliseconds since the epoch.
  package var now: @Sendable () -> Int64
  /// Waits, for `--follow`.
  package var pause: @Sendable (_ milliseconds: Int) -> Void
  /// What the binary was built from and runs on.
  package var versions: StatusReport.Versions
  /// Runs the proxy until it ends.
  package var runProxy: @Sendable (LoadedConfiguration, Console) -> ExitCode

  package init(
    arguments: [String], variables: [String: String],
    writeOutput: @escaping @Sendable ([UInt8]) -> Console.WriteOutcome,
    writeError: @escaping @Sendable ([UInt8]) -> Console.WriteOutcome, outputIsTerminal: Bool, errorIsTerminal: Bool,
    readFile: @escaping @Sendable (_ path: String) -> FileReading, now: @escaping @Sendable () -> Int64,
    pause: @escaping @Sendable (_ milliseconds: Int) -> Void, versions: StatusReport.Versions,
    runProxy: @escaping @Sendable (LoadedConfiguration, Console) -> ExitCode
  ) {
    self.arguments = arguments
    self.variables = variables
    self.writeOutput = writeOutput
    self.writeError = writeError
    self.outputIsTerminal = outputIsTerminal
    self.errorIsTerminal = errorIsTerminal
    self.readFile = readFile
    self.now = now
    self.pause = pause
    self.versions = versions
    self.runProxy = runProxy
  }
}

/// What became of reading a file.
package enum FileReading: Sendable, Hashable {
  case content([UInt8])
  case missing
  case denied(reason: String)
  case failed(reason: String)
}
