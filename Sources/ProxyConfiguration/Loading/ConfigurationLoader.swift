import Effects
package import URLRules

/// What one load gave.
package struct LoadedConfiguration: Sendable {
  /// What was found, in the order of the file; what concerns overrides comes last.
  package let issues: [ConfigurationIssue]
  /// The configuration to run with; nil when an issue is fatal. What other errors concern is not in it.
  package let configuration: Configuration?
  /// The admin section, also beside errors elsewhere; nil when it has errors itself or may not have been read to its end.
  package let admin: Configuration.Admin?
  /// The state section, under the same terms.
  package let state: Configuration.State?
  /// The compiled rules of the configuration, in its order.
  package let ruleSet: RuleSet

  /// Whether the configuration has an error: `footfall check` fails.
  package var hasErrors: Bool { issues.contains { $0.severity == .error } }
}

/// Turns the bytes of a configuration file into a configuration, and reports all that is wrong with it in one run.
package struct ConfigurationLoader: Sendable {
  private let patterns: any PatternEngine
  private let hostNames: any HostNameEncoder
  private let readSecret: (@Sendable (_ path: String) -> NamedFileReading)?
  private let readCertificates: (@Sendable (_ path: String) -> NamedFileReading)?

  /// A loader that compiles rules with these engines.
  ///
  /// - Parameters:
  ///   - readSecret: reads the files with secrets that the configuration names; nil leaves them unread.
  ///   - readCertificates: likewise those with certificates.
  package init(
    patterns: any PatternEngine, hostNames: any HostNameEncoder,
    readSecret: (@Sendable (_ path: String) -> NamedFileReading)? = nil,
    readCertificates: (@Sendable (_ path: String) -> NamedFileReading)? = nil
  ) {
    self.patterns = patterns
    self.hostNames = hostNames
    self.readSecret = readSecret
    self.readCertificates = readCertificates
  }

  /// Reads a file's bytes.
  ///
  /// - Parameters:
  ///   - bytes: What the file holds.
  ///   - file: Its name for issues; relative paths in it are seen from its folder.
  ///   - overrides: What counts more than the file.
  package func load(
    _ bytes: [UInt8], file: String, overrides: ConfigurationOverrides = ConfigurationOverrides()
  ) -> LoadedConfiguration {
    let reading = JSONReader(subject: "the file").read(bytes)
    var context = ReadingContext(file: file)
    context.issues = reading.issues.map { ConfigurationIssue($0, file: file) }
    context.cut = reading.issues.last { $0.losesEnd }?.pointer
    guard let root = reading.root else { return finish(nil, nil, context) }
    guard var document = ConfigurationDocument.kind.read(root, &context) else {
      return finish(nil, nil, context)
    }
    overrides.apply(to: &document, &context)
    let source = ConfigurationSource(file: file, bytes: bytes, root: root, overrides: overrides)
    AddressChecks.run(document, source, &context)
    DestinationChecks.run(document, source, &context)
    UpstreamChecks.run(&document, source, &context, readSecret: readSecret)
    AhoyChecks.run(&document, source, &context, readSecret: readSecret, readCertificates: readCertificates)
    CohorlyChecks.run(&document, source, &context, readSecret: readSecret, readCertificates: readCertificates)
    LimitChecks.run(document, source, &context)
    VisitorIDChecks.run(document, source, &context)
    let (rules, ruleSet) = RuleAssembly(patterns: patterns, hostNames: hostNames)
      .assemble(document, source, &context)

    var configuration = Configuration()
    configuration.proxy = document.proxy
    configuration.access = document.access
    configuration.upstream = document.upstream
    configuration.admin = document.admin
    configuration.state = document.state
    configuration.ahoy = document.ahoy
    configuration.cohorly = document.cohorly
    configuration.pipeline = document.pipeline
    configuration.rules = rules
    configuration.limits = document.limits
    configuration.timeouts = document.timeouts
    configuration.events = document.events
    configuration.log = document.log
    configuration.visitorID = VisitorIDChecks.feature(document, source, sorted(context))
    configuration.droppedRules = DroppedRules.list(document.rules, kept: rules, sorted(context))
    return finish(configuration, ruleSet, context)
  }

  private func finish(
    _ configuration: Configuration?, _ ruleSet: RuleSet?, _ context: ReadingContext
  ) -> LoadedConfiguration {
    let issues = sorted(context)
    func isWhole(_ section: String) -> Bool {
      context.cut == nil && !issues.contains { $0.severity == .error && $0.pointer.steps.first == .name(section) }
    }
    return LoadedConfiguration(
      issues: issues, configuration: issues.contains { $0.impact == .fatal } ? nil : configuration,
      admin: isWhole("admin") ? configuration?.admin : nil, state: isWhole("state") ? configuration?.state : nil,
      ruleSet: ruleSet ?? RuleSet.compile([], patterns: patterns, hostNames: hostNames).rules)
  }
}

/// In the order of the file; what concerns overrides comes last.
private func sorted(_ context: ReadingContext) -> [ConfigurationIssue] {
  let sorted = context.issues.enumerated().sorted { one, other in
    let isLater = (one.element.file != context.file, other.element.file != context.file)
    if isLater.0 != isLater.1 { return isLater.1 }
    return (one.element.position, one.offset) < (other.element.position, other.offset)
  }
  return sorted.map(\.element)
}

extension JSONSyntaxIssue {
  /// Whether what follows in the containers around the place was not read.
  fileprivate var losesEnd: Bool {
    switch code {
    case .unterminatedContainer, .trailingContent, .tooManyIssues, .tooDeep: true
    default: false
    }
  }
}

extension ConfigurationIssue {
  /// The issue that a mistake in the JSON itself is.
  init(_ issue: JSONSyntaxIssue, file: String) {
    self.init(
      file: file, position: issue.position, pointer: issue.pointer, code: Code(rawValue: issue.code.rawValue),
      severity: .error, message: issue.message, hint: issue.hint)
  }
}
