/// The bearer token of the admin endpoint, kept in a file of its own.
package enum AdminToken {
  /// The file's content without the line end. Nil when no file is configured.
  ///
  /// - Parameter console: where a warning goes when others than the owner may use the file.
  package static func read(
    _ path: String?, _ readFile: (String) -> FileReading, _ console: Console? = nil
  ) throws(CommandFailure) -> String? {
    guard let path else { return nil }
    if let console, let warning = exposure(path) { console.note("warning: \(PrintableText.line(warning))") }
    let content: [UInt8]
    switch readFile(path) {
    case .content(let bytes): content = bytes
    case .missing:
      throw CommandFailure(
        .configuration, "the token file \(path) does not exist",
        hint: "Create it with mode 0600 and one line, or set admin.tokenFile to null.")
    case .denied(let reason):
      throw CommandFailure(
        .permission, "cannot read the token file \(path): \(reason)", hint: "Use the user who runs the proxy.")
    case .failed(let reason): throw CommandFailure(.noInput, "cannot read the token file \(path): \(reason)")
    }
    var token = content[...]
    while let last = token.last, last == 0x0a || last == 0x0d || last == 0x20 { token.removeLast() }
    guard (1...1024).contains(token.count), token.allSatisfy({ (0x21..<0x7f).contains($0) }) else {
      throw CommandFailure(
        .configuration, "the token file \(path) does not hold one token",
        hint: "It must hold one line of 1 to 1024 visible ASCII characters, without spaces.")
    }
    return String(decoding: token, as: UTF8.self)
  }

  /// What is wrong with the permissions of the file; nil when only its owner may use it, or it is not there.
  package static func exposure(_ path: String) -> String? {
    guard let mode = ProcessFiles.permissions(path), mode & 0o077 != 0 else { return nil }
    return "other users may use the token file \(path), it has mode 0\(String(mode, radix: 8)): give it 0600"
  }
}
