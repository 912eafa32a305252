import Foundation

/// Certificates for tests, good and bad, made with the openssl command: two roots, of which tests trust the first, and
/// an intermediate of that.
public final class TestAuthority: Sendable {
  /// Who signs a certificate.
  public enum Issuer: String, Sendable {
    /// The trusted root.
    case root
    /// The authority under the root.
    case intermediate
    /// A root that nobody trusts.
    case stranger
    /// The certificate's own key.
    case itself
  }

  /// What a certificate is like.
  public struct Wish: Sendable {
    /// The subject's only attribute.
    public var commonName = "leaf"
    /// As in openssl.cnf: `DNS:a.example`, `IP:127.0.0.1`; empty for no such extension.
    public var names = ["DNS:localhost", "IP:127.0.0.1"]
    /// Who signs.
    public var issuer = Issuer.root
    /// UTC, as `YYYYMMDDhhmmssZ`.
    public var from = "20200101000000Z"
    /// The same.
    public var until = "20991231235959Z"
    /// Arguments of `openssl genpkey`.
    public var key = ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
    /// What the signature is over.
    public var digest = "sha256"
    /// The extended usage; empty for no such extension.
    public var usage = "serverAuth"
    /// The file has the intermediate behind the certificate.
    public var bringsIntermediate = true

    /// A good one, with these changes.
    public init(_ change: (inout Wish) -> Void = { _ in }) { change(&self) }
  }

  /// A certificate with its key, both as PEM files.
  public struct Certificate: Sendable {
    /// The certificate and what follows it in its chain.
    public let chainFile: String
    /// The key, without a password.
    public let keyFile: String

    /// The bytes of the chain.
    public func chain() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: chainFile))) }
    /// The bytes of the key.
    public func key() throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: keyFile))) }
  }

  /// Made once for all tests of a process.
  public static let shared = Result { try TestAuthority() }

  /// Where the files are.
  public let directory: String

  /// The trusted root.
  public var rootFile: String { directory + "/root.pem" }

  /// Makes the roots and the intermediate in a temporary directory, which goes with the object.
  public init() throws {
    directory = NSTemporaryDirectory() + "footfall-certificates-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for name in ["root", "stranger"] {
      try openssl(["genpkey"] + Wish().key + ["-out", path(name, "key")])
      try openssl([
        "req", "-x509", "-new", "-key", path(name, "key"), "-subj", "/CN=Test \(name)", "-days", "36500",
        "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        "-out", path(name, "pem"),
      ])
    }
    _ = try sign(
      "intermediate", Wish { $0.commonName = "Test intermediate" },
      extensions: "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n")
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  /// Makes a certificate.
  public func certificate(_ wish: Wish = Wish()) throws -> Certificate {
    var extensions = "basicConstraints=CA:FALSE\nkeyUsage=critical,digitalSignature\n"
    if !wish.usage.isEmpty { extensions += "extendedKeyUsage=\(wish.usage)\n" }
    if !wish.names.isEmpty { extensions += "subjectAltName=\(wish.names.joined(separator: ","))\n" }
    return try sign("leaf-\(UUID().uuidString)", wish, extensions: extensions)
  }

  private func path(_ name: String, _ kind: String) -> String { "\(directory)/\(name).\(kind)" }

  private func sign(_ name: String, _ wish: Wish, extensions: String) throws -> Certificate {
    try openssl(["genpkey"] + wish.key + ["-out", path(name, "key")])
    try openssl([
      "req", "-new", "-key", path(name, "key"), "-subj", "/CN=\(wish.commonName)", "-out", path(name, "csr"),
    ])
    // `openssl ca` is the one that takes both dates.
    let configuration = """
      [ca]
      default_ca = it
      [it]
      database = \(path(name, "index"))
      serial = \(path(name, "serial"))
      new_certs_dir = \(directory)
      policy = any
      unique_subject = no
      [any]
      commonName = optional
      [directory]
      CN = localhost
      [extensions]
      \(extensions)
      """
    try configuration.write(toFile: path(name, "cnf"), atomically: true, encoding: .utf8)
    try "".write(toFile: path(name, "index"), atomically: true, encoding: .utf8)
    let serial = String(format: "%016llX\n", UInt64.random(in: 1...UInt64(Int64.max)))
    try serial.write(toFile: path(name, "serial"), atomically: true, encoding: .utf8)
    let signer: [String] =
      switch wish.issuer {
      case .itself: ["-selfsign", "-keyfile", path(name, "key")]
      default: ["-cert", path(wish.issuer.rawValue, "pem"), "-keyfile", path(wish.issuer.rawValue, "key")]
      }
    try openssl(
      ["ca", "-batch", "-notext", "-config", path(name, "cnf"), "-extensions", "extensions", "-md", wish.digest]
        + ["-startdate", wish.from, "-enddate", wish.until, "-in", path(name, "csr"), "-out", path(name, "pem")]
        + signer)
    if wish.issuer == .intermediate, wish.bringsIntermediate {
      let chain = try [name, "intermediate"].map { try String(contentsOfFile: path($0, "pem"), encoding: .utf8) }
      try chain.joined().write(toFile: path(name, "pem"), atomically: true, encoding: .utf8)
    }
    return Certificate(chainFile: path(name, "pem"), keyFile: path(name, "key"))
  }

  private func openssl(_ arguments: [String]) throws {
    let output = try Command.run("/usr/bin/openssl", arguments)
    guard output.status == 0 else { throw CommandFailure(description: "openssl \(arguments): \(output.errors)") }
  }
}

/// A command of a test that did not do what it should.
public struct CommandFailure: Error, CustomStringConvertible {
  /// What went wrong.
  public let description: String
}

/// Runs a command to its end.
enum Command {
  static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, errors: String) {
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let text = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: text, as: UTF8.self))
  }
}
