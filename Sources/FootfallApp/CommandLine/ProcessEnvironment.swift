package import AdminAPI
import Glibc

extension CommandEnvironment {
  /// The environment of this process.
  package static func process(
    versions: StatusReport.Versions,
    runProxy: @escaping @Sendable (ConfigurationFile, CommandEnvironment, Console) -> ExitCode
  ) -> CommandEnvironment {
    var environment = CommandEnvironment(
      arguments: Array(CommandLine.arguments.dropFirst()), variables: variables(),
      writeOutput: { ProcessFiles.write($0, to: STDOUT_FILENO) },
      writeError: { ProcessFiles.write($0, to: STDERR_FILENO) },
      outputIsTerminal: isatty(STDOUT_FILENO) == 1, errorIsTerminal: isatty(STDERR_FILENO) == 1,
      readFile: ProcessFiles.read, pause: pause, versions: versions, runProxy: runProxy)
    environment.inputIsTerminal = isatty(STDIN_FILENO) == 1
    return environment
  }

  private static func variables() -> [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let pair = String(cString: text)
      if let equals = pair.firstIndex(of: "=") {
        variables[String(pair[..<equals])] = String(pair[pair.index(after: equals)...])
      }
      entry += 1
    }
    return variables
  }

  /// Waits on the output: a reader that goes ends the wait, and the program has nobody left to write for.
  private static func pause(milliseconds: Int) -> Bool {
    var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
    let ready = poll(&entry, 1, Int32(clamping: milliseconds))
    return ready <= 0 || Int32(entry.revents) & (POLLERR | POLLHUP | POLLNVAL) == 0
  }
}
