import Effects

/// Whether visits and events can get to the application, and stay secret on the way.
enum AhoyChecks {
  /// What the gem takes of one request unless the application says otherwise (contract: Ahoy, section 1.3).
  private static let usualEvents = 10
  private static let usualBytes = 8192

  static func run(
    _ document: inout ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext,
    readSecret: ((String) -> NamedFileReading)?, readCertificates: ((String) -> NamedFileReading)?
  ) {
    let section = JSONPointer([.name("ahoy")])
    guard let ahoy = document.ahoy else { return }
    if let url = ahoy.baseURL, !url.isSecure, !url.isLoopback {
      context.report(
        .unencryptedBackend, at: source.place(section.appending("baseURL")),
        "what is recorded travels unencrypted to \(url.host)", hint: "use https", severity: .warning)
    }
    checkLimits(ahoy, source, &context)
    readAuthorization(&document, source, &context, readSecret)
    if let readCertificates { checkCertificates(ahoy, source, &context, readCertificates) }
  }

  private static func checkLimits(
    _ ahoy: Configuration.Ahoy, _ source: ConfigurationSource, _ context: inout ReadingContext
  ) {
    let events = JSONPointer([.name("ahoy"), .name("events")])
    if ahoy.events.maxPerRequest > usualEvents {
      context.report(
        .aboveUsualLimit, at: source.place(events.appending("maxPerRequest")),
        "the gem passes over all events behind the \(usualEvents)th of a request and answers 200",
        hint: "be sure that the application sets Ahoy.max_events_per_request = \(ahoy.events.maxPerRequest)",
        severity: .warning)
    }
    if ahoy.events.maxBytes > usualBytes {
      context.report(
        .aboveUsualLimit, at: source.place(events.appending("maxBytes")),
        "the gem refuses requests of more than \(usualBytes) bytes",
        hint: "be sure that the application sets Ahoy.max_content_length = \(ahoy.events.maxBytes)", severity: .warning)
    }
    let params = JSONWriter.text(.object(ahoy.visitParams)).utf8.count
    // They are sent with each request of events too, which they must leave room in.
    if params > usualBytes / 4 {
      context.report(
        .contradictingLimits, at: source.place(JSONPointer([.name("ahoy"), .name("visitParams")])),
        "the parameters are \(params) bytes long", hint: "at most \(usualBytes / 4), so that events fit beside them")
    }
  }

  private static func checkCertificates(
    _ ahoy: Configuration.Ahoy, _ source: ConfigurationSource, _ context: inout ReadingContext,
    _ read: (String) -> NamedFileReading
  ) {
    for (index, path) in ahoy.certificateFiles.enumerated() {
      let place = source.place(JSONPointer([.name("ahoy"), .name("certificateFiles"), .index(index)]))
      switch read(path) {
      case .content(let content):
        guard !holdsCertificate(content) else { continue }
        context.report(
          .invalidCertificate, at: place, "there is no certificate in \(path)",
          hint: "a PEM file begins with -----BEGIN CERTIFICATE-----; openssl x509 -inform der makes one of DER")
      case .exposed: continue
      case .unreadable(let reason):
        context.report(
          .unreadableFile, at: place, "cannot read \(path): \(reason)",
          hint: "name a PEM file with the certificates of those who sign for the application")
      }
    }
  }

  /// Whether PEM begins somewhere; how good the certificates are is seen when they are used.
  private static func holdsCertificate(_ content: [UInt8]) -> Bool {
    let names = ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"].map { Array("-----BEGIN \($0)-----".utf8) }
    return content.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).contains { line in
      names.contains { line.starts(with: $0) }
    }
  }

  private static func readAuthorization(
    _ document: inout ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext,
    _ readSecret: ((String) -> NamedFileReading)?
  ) {
    guard let path = document.ahoy?.authorizationFile, let readSecret else { return }
    let place = source.place(JSONPointer([.name("ahoy"), .name("authorizationFile")]))
    switch readSecret(path) {
    case .content(let content):
      document.ahoy?.authorization = AuthorizationValue(file: content)
      if document.ahoy?.authorization == nil {
        context.report(
          .invalidSecret, at: place, "\(path) does not hold one line with the value of Authorization",
          hint: "such as Bearer and a token: at most 4096 visible ASCII characters")
      }
    case .exposed(let mode):
      context.report(
        .exposedSecret, at: place, "other users may use \(path), it has mode 0\(String(mode, radix: 8))",
        hint: "chmod 600")
    case .unreadable(let reason):
      context.report(
        .unreadableFile, at: place, "cannot read \(path): \(reason)",
        hint: "create it with mode 0600 and one line, or set authorizationFile to null")
    }
  }
}
