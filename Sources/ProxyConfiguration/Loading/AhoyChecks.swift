import Effects

/// Whether visits and events can get to the application, and stay secret on the way.
enum AhoyChecks {
  /// What the gem takes of one request unless the application says otherwise (contract: Ahoy, section 1.3).
  private static let usualEvents = 10
  private static let usualBytes = 8192

  private static let authorization = SecretForm(
    content: "one line with the value of Authorization",
    hint: "such as Bearer and a token: at most 4096 visible ASCII characters",
    remedy: "create it with mode 0600 and one line, or set authorizationFile to null"
  ) { SecretFieldValue(file: $0) }

  static func run(
    _ document: inout ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext,
    readSecret: ((String) -> NamedFileReading)?, readCertificates: ((String) -> NamedFileReading)?
  ) {
    let section = JSONPointer([.name("ahoy")])
    guard let ahoy = document.ahoy else { return }
    if let url = ahoy.baseURL {
      BackendChecks.checkEncryption(url, at: source.place(section.appending("baseURL")), &context)
    }
    checkLimits(ahoy, source, &context)
    document.ahoy?.authorization = BackendChecks.secret(
      ahoy.authorizationFile, at: source.place(section.appending("authorizationFile")), authorization, &context,
      readSecret)
    BackendChecks.checkCertificates(
      ahoy.certificateFiles, of: section, signed: "the application", source, &context, readCertificates)
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
}
