import AdminAPI
import FootfallApp
import Synchronization

/// One command run in this process, in a world made of values.
struct CommandRun: Sendable {
  let code: ExitCode
  let output: String
  let error: String

  /// What a run may find and do.
  struct World: Sendable {
    var variables: [String: String] = [:]
    var files: [String: String] = [:]
    var deniedFiles: Set<String> = []
    var outputIsTerminal = false
    /// What is typed when a password is asked for, one text each time.
    var secrets: [String] = []
    var inputIsTerminal = false
    /// The output is full, or closed, after so many bytes.
    var outputLimit: (bytes: Int, outcome: Console.WriteOutcome)?
    /// Called at each pause; false ends the command.
    var onPause: @Sendable () -> Bool = { false }
    var runProxy: @Sendable (ConfigurationFile) -> ExitCode = { _ in .ok }
  }

  /// Runs the arguments.
  init(_ arguments: [String], _ world: World = World()) {
    let written = Mutex((output: [UInt8](), error: [UInt8]()))
    var versions = StatusReport.Versions()
    versions.footfall = "0.1.0"
    versions.commit = "abc1234"
    versions.swift = "6.3"
    versions.libraries = [.init("libevent", "2.1.12-stable")]
    let secrets = Mutex(world.secrets)
    var environment = CommandEnvironment(
      arguments: arguments, variables: world.variables,
      writeOutput: { bytes in
        written.withLock { written in
          if let limit = world.outputLimit, written.output.count + bytes.count > limit.bytes { return limit.outcome }
          written.output += bytes
          return .written
        }
      },
      writeError: { bytes in
        written.withLock { $0.error += bytes }
        return .written
      },
      outputIsTerminal: world.outputIsTerminal, errorIsTerminal: world.outputIsTerminal,
      readFile: { path in
        if world.deniedFiles.contains(path) { return .denied(reason: "Permission denied") }
        return world.files[path].map { .content(Array($0.utf8)) } ?? .missing
      },
      pause: { _ in world.onPause() }, versions: versions, runProxy: { file, _, _ in world.runProxy(file) })
    environment.inputIsTerminal = world.inputIsTerminal
    environment.readSecret = { _ in secrets.withLock { $0.isEmpty ? nil : Array($0.removeFirst().utf8) } }
    code = FootfallCommandLine.run(environment)
    (output, error) = written.withLock {
      (String(decoding: $0.output, as: UTF8.self), String(decoding: $0.error, as: UTF8.self))
    }
  }

  /// Runs the arguments with a configuration file of that content.
  init(_ arguments: [String], configuration: String, _ world: World = World()) {
    var world = world
    world.files["/conf/footfall.json"] = configuration
    self.init(arguments + ["--config", "/conf/footfall.json"], world)
  }
}
