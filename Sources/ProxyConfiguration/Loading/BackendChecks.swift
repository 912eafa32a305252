import Effects

/// What a file with a secret must hold, and how to tell that it does not.
struct SecretForm<Value>: Sendable {
  /// Behind "does not hold", such as "one line user:password".
  let content: String
  /// What such content looks like.
  let hint: String
  /// How to do without an unreadable file.
  let remedy: String
  let parse: @Sendable ([UInt8]) -> Value?
}

/// What is the same for every backend and proxy that is spoken to: its URL, its certificates, its secrets.
enum BackendChecks {
  /// Warns of a backend that others on the way can listen to.
  static func checkEncryption(_ url: BackendURL, at place: SourcePlace, _ context: inout ReadingContext) {
    guard !url.isSecure, !url.isLoopback else { return }
    context.report(
      .unencryptedBackend, at: place, "what is recorded travels unencrypted to \(url.host)", hint: "use https",
      severity: .warning)
  }

  /// - Parameters:
  ///   - section: The section that names the files.
  ///   - signed: Whom the certificates speak for, such as "the application".
  static func checkCertificates(
    _ files: [String], of section: JSONPointer, signed: String, _ source: ConfigurationSource,
    _ context: inout ReadingContext, _ read: ((String) -> NamedFileReading)?
  ) {
    guard let read else { return }
    for (index, path) in files.enumerated() {
      let place = source.place(section.appending("certificateFiles").appending(index))
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
          hint: "name a PEM file with the certificates of those who sign for \(signed)")
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

  /// What the file with a secret holds; nil when it is not named, nothing reads it, or it is wrong, which is reported.
  static func secret<Value>(
    _ path: String?, at place: SourcePlace, _ form: SecretForm<Value>, _ context: inout ReadingContext,
    _ read: ((String) -> NamedFileReading)?
  ) -> Value? {
    guard let path, let read else { return nil }
    switch read(path) {
    case .content(let content):
      if let value = form.parse(content) { return value }
      context.report(.invalidSecret, at: place, "\(path) does not hold \(form.content)", hint: form.hint)
    case .exposed(let mode):
      context.report(
        .exposedSecret, at: place, "other users may use \(path), it has mode 0\(String(mode, radix: 8))",
        hint: "chmod 600")
    case .unreadable(let reason):
      context.report(.unreadableFile, at: place, "cannot read \(path): \(reason)", hint: form.remedy)
    }
    return nil
  }
}
