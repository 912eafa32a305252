import Effects

/// Whether events can get to Cohorly, stay secret on the way, and flags can be kept.
enum CohorlyChecks {
  private static let section = JSONPointer([.name("cohorly")])

  /// Bytes that the properties of every event may take together; they are sent with each one.
  private static let superPropertyBytes = 8192

  private static let token = SecretForm(
    content: "one line with the token of a project",
    hint: "1 to 255 visible ASCII characters without blanks, such as 0b9d3a52-6c1e-4f7a-9d25-8e41c7b3f060",
    remedy: "create it with mode 0600 and one line, or set tokenFile to null"
  ) { SecretFieldValue(tokenFile: $0) }

  static func run(
    _ document: inout ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext,
    readSecret: ((String) -> NamedFileReading)?, readCertificates: ((String) -> NamedFileReading)?
  ) {
    guard let cohorly = document.cohorly else { return }
    BackendChecks.checkEncryption(cohorly.apiHost, at: source.place(section.appending("apiHost")), &context)
    // Of a section with mistakes nobody knows what it would say.
    let isRead = !context.issues.contains { $0.severity == .error && $0.pointer.steps.first == section.steps.first }
    if isRead, cohorly.apiHost == Configuration.Cohorly.usualHost, cohorly.tokenFile == nil {
      context.report(
        .backendWithoutToken, at: source.place(section.appending("tokenFile")),
        "\(cohorly.apiHost.host) takes nothing without the token of a project",
        hint: "set tokenFile, or apiHost for a server that needs none", severity: .warning)
    }
    checkFlags(cohorly, source, &context)
    let bytes = JSONWriter.text(.object(cohorly.superProperties)).utf8.count
    if bytes > superPropertyBytes {
      context.report(
        .contradictingLimits, at: source.place(section.appending("superProperties")),
        "the properties are \(bytes) bytes long", hint: "at most \(superPropertyBytes), as each event carries them")
    }
    BackendChecks.checkCertificates(
      cohorly.certificateFiles, of: section, signed: "the server", source, &context, readCertificates)
    document.cohorly?.token = BackendChecks.secret(
      cohorly.tokenFile, at: source.place(section.appending("tokenFile")), token, &context, readSecret)
  }

  private static func checkFlags(
    _ cohorly: Configuration.Cohorly, _ source: ConfigurationSource, _ context: inout ReadingContext
  ) {
    guard source.root.member("cohorly")?.node.member("flagCacheTTLHours") != nil else { return }
    let place = source.place(section.appending("flagCacheTTLHours"))
    if cohorly.flagPersistence == .networkOnly {
      context.report(
        .unusedKey, at: place, "networkOnly keeps no flags", hint: "set another flagPersistence, or remove it",
        severity: .warning)
    } else if cohorly.flagCacheTTLHours == 0 {
      context.report(
        .doubtfulValidity, at: place, "flags that are never fresh are not kept: this is as networkOnly",
        hint: "write \"flagPersistence\": \"networkOnly\", or the hours that they are fresh", severity: .warning)
    }
  }
}
