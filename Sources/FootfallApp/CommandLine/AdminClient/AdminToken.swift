/// The bearer token of the admin endpoint, kept in a file of its own.
package enum AdminToken {
  /// The file's content without the line end. Nil when no file is configured.
  package static func read(_ path: String?, _ readFile: (String) -> FileReading) throws(CommandFailure) -> String? {
    guard let path else { return nil }
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
}
