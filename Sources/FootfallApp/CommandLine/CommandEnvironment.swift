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
  /// Waits, for `--follow`; false once nobody reads the output any more.
  package var pause: @Sendable (_ milliseconds: Int) -> Bool
  /// Whether somebody types.
  package var inputIsTerminal = false
  /// Asks for a password, without showing it where it is typed; nil at the end of the input.
  package var readSecret: @Sendable (_ prompt: String) -> [UInt8]? = SecretPrompt.read
  /// What the binary was built from and runs on.
  package var versions: StatusReport.Versions
  /// Runs the proxy until it ends.
  package var runProxy: @Sendable (ConfigurationFile, CommandEnvironment, Console) -> ExitCode

  package init(
    arguments: [String], variables: [String: String],
    writeOutput: @escaping @Sendable ([UInt8]) -> Console.WriteOutcome,
    writeError: @escaping @Sendable ([UInt8]) -> Console.WriteOutcome, outputIsTerminal: Bool, errorIsTerminal: Bool,
    readFile: @escaping @Sendable (_ path: String) -> FileReading,
    pause: @escaping @Sendable (_ milliseconds: Int) -> Bool, versions: StatusReport.Versions,
    runProxy: @escaping @Sendable (ConfigurationFile, CommandEnvironment, Console) -> ExitCode
  ) {
    self.arguments = arguments
    self.variables = variables
    self.writeOutput = writeOutput
    self.writeError = writeError
    self.outputIsTerminal = outputIsTerminal
    self.errorIsTerminal = errorIsTerminal
    self.readFile = readFile
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
