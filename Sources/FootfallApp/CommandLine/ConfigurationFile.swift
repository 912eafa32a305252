package import ProxyConfiguration
import RuleEngines

/// The configuration file that a command works with, read and checked.
package struct ConfigurationFile: Sendable {
  /// The file as it was named or found.
  package let path: String
  package let content: [UInt8]
  package let loaded: LoadedConfiguration
  /// What counts more than the file: of the environment and the command line.
  package let overrides: ConfigurationOverrides
  /// The directory of the databases.
  package let stateDirectory: String

  /// Finds, reads and checks the file. Issues in it are no failure here; a file that is not there is one.
  ///
  /// - Parameter readsSecrets: whether the files with secrets that it names are read and checked too, which only the
  ///   proxy's user can.
  package init(_ invocation: Invocation, readsSecrets: Bool = false) throws(CommandFailure) {
    let environment = invocation.environment
    let overrides = ConfigurationFile.overrides(invocation)
    let paths = ConfigurationPaths(environment: environment.variables)
    let named = invocation.arguments.value(of: .config)
    try self.init(
      candidates: named.map { [$0] } ?? paths.configuration, isNamed: named != nil || paths.configuration.count == 1,
      overrides: overrides, defaultStateDirectory: paths.stateDirectory, readsSecrets: readsSecrets,
      readFile: environment.readFile)
  }

  /// What the environment and the command line say in place of the file.
  package static func overrides(_ invocation: Invocation) -> ConfigurationOverrides {
    var overrides = ConfigurationOverrides(environment: invocation.environment.variables)
    for (option, key) in CommandOption.overrides {
      if let text = invocation.arguments.value(of: option) { overrides.set(key, text, source: "--\(option.long)") }
    }
    return overrides
  }

  /// The same file as it is now, with its secrets.
  package func reread(_ readFile: @escaping @Sendable (String) -> FileReading) throws(CommandFailure)
    -> ConfigurationFile
  {
    try ConfigurationFile(
      candidates: [path], isNamed: true, overrides: overrides, defaultStateDirectory: stateDirectory,
      readsSecrets: true, readFile: readFile)
  }

  private init(
    candidates: [String], isNamed: Bool, overrides: ConfigurationOverrides, defaultStateDirectory: String,
    readsSecrets: Bool, readFile: @escaping @Sendable (String) -> FileReading
  ) throws(CommandFailure) {
    (path, content) = try ConfigurationFile.find(candidates, isNamed: isNamed, readFile)
    self.overrides = overrides
    var readSecret: (@Sendable (String) -> NamedFileReading)?
    var readCertificates: (@Sendable (String) -> NamedFileReading)?
    if readsSecrets {
      readSecret = { path in ConfigurationFile.secret(path, readFile) }
      readCertificates = { path in ConfigurationFile.named(path, readFile) }
    }
    let loader = ConfigurationLoader(
      patterns: PCRE2PatternEngine(), hostNames: IDNA2008HostNameEncoder(), readSecret: readSecret,
      readCertificates: readCertificates)
    loaded = loader.load(content, file: path, overrides: overrides)
    stateDirectory = loaded.state?.directory ?? defaultStateDirectory
  }

  /// Reads a file that only its owner may use.
  private static func secret(_ path: String, _ readFile: (String) -> FileReading) -> NamedFileReading {
    if let mode = ProcessFiles.permissions(path), mode & 0o077 != 0 { return .exposed(mode: mode) }
    return named(path, readFile)
  }

  private static func named(_ path: String, _ readFile: (String) -> FileReading) -> NamedFileReading {
    switch readFile(path) {
    case .content(let content): .content(content)
    case .missing: .unreadable(reason: "it does not exist")
    case .denied(let reason), .failed(let reason): .unreadable(reason: reason)
    }
  }

  private static func find(
    _ candidates: [String], isNamed: Bool, _ readFile: (String) -> FileReading
  ) throws(CommandFailure) -> (String, [UInt8]) {
    for path in candidates {
      switch readFile(path) {
      case .content(let content): return (path, content)
      case .missing: continue
      case .denied(let reason): throw CommandFailure(.permission, "cannot read \(path): \(reason)")
      case .failed(let reason): throw CommandFailure(.noInput, "cannot read \(path): \(reason)")
      }
    }
    if isNamed, let path = candidates.first {
      throw CommandFailure(.noInput, "there is no configuration file \(path)")
    }
    throw CommandFailure(
      .noInput, "there is no configuration file",
      hint: "Looked for \(candidates.joined(separator: ", ")). Name one with --config PATH.")
  }

  /// The configuration, for a command that needs only some of it to be right.
  ///
  /// - Throws: 78 with the issues when it cannot be used at all.
  package func usable(_ console: Console) throws(CommandFailure) -> Configuration {
    guard let configuration = loaded.configuration else { throw refusal(console) }
    return configuration
  }

  /// The configuration, for a command whose answer would mislead if any of it were wrong.
  ///
  /// - Throws: 78 with the issues when there is an error.
  package func faultless(_ console: Console) throws(CommandFailure) -> Configuration {
    guard let configuration = loaded.configuration, !loaded.hasErrors else { throw refusal(console) }
    return configuration
  }

  /// Shows the issues; the failure that the command ends with.
  package func refusal(_ console: Console) -> CommandFailure {
    for issue in loaded.issues { console.note(issue.description) }
    let hasLines = loaded.issues.contains { $0.severity == .error && !$0.isOverride }
    return CommandFailure(
      .configuration, "the configuration has errors",
      hint: hasLines ? "`footfall check` shows them with their source lines." : nil)
  }
}

extension CommandOption {
  package static let listen = CommandOption(
    "listen", short: "l", value: "ADDRESS", "Where clients connect, instead of proxy.listen; several with commas.")
  package static let adminListen = CommandOption(
    "admin-listen", value: "ADDRESS",
    "Where the admin endpoint is, instead of admin.listen: address and port, or unix:PATH.")
  package static let logLevel = CommandOption(
    "log-level", value: "LEVEL", "error, warning, info or debug, instead of log.level.")

  /// The options that stand for a value of the configuration.
  static let overrides: [(CommandOption, ConfigurationOverrides.Key)] = [
    (listen, .listen), (adminListen, .adminListen), (logLevel, .logLevel),
  ]
}
