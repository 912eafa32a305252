import Effects

/// A file of users: lines `name:hash`, empty lines, and comments that begin with `#`.
package enum UsersFile {
  /// A user and the hash of the password in the form of crypt(3).
  package typealias User = (name: String, hash: String)

  /// The users of the file, and all that is wrong with it; no message repeats a hash.
  ///
  /// - Parameter file: its name for issues.
  package static func read(_ bytes: [UInt8], file: String) -> (users: [User], issues: [ConfigurationIssue]) {
    var reader = Reader(file: file)
    var offset = 0
    for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
      reader.take(line, JSONPosition(offset: offset, line: index + 1, column: 1))
      offset += line.count + 1
    }
    if reader.users.isEmpty, reader.issues.isEmpty {
      reader.report(
        .noUsers, .start, "the file has no users, so nobody can use the proxy",
        "add a line with `footfall users hash NAME`", .warning)
    }
    return (reader.users, reader.issues)
  }

  private struct Reader {
    let file: String
    var users: [User] = []
    var issues: [ConfigurationIssue] = []
    private var lines: [String: Int] = [:]

    init(file: String) { self.file = file }

    mutating func take(_ line: ArraySlice<UInt8>, _ position: JSONPosition) {
      var line = line
      while let last = line.last, last == 0x20 || last == 0x0d || last == 0x09 { line.removeLast() }
      while let first = line.first, first == 0x20 || first == 0x09 { line.removeFirst() }
      guard let first = line.first, first != UInt8(ascii: "#") else { return }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        return report(.invalidUser, position, "the line is not a name, a colon and a hash", "")
      }
      let bytes = line[..<colon]
      guard let name = String(validating: bytes, as: UTF8.self), (1...255).contains(bytes.count),
        bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
      else {
        return report(
          .invalidUser, position, "the name is not 1 to 255 bytes of UTF-8 without control characters", "")
      }
      if let other = lines[name] {
        return report(
          .duplicateUser, position, "\(name.quoted) is on line \(other) already", "names are unique: remove one")
      }
      lines[name] = position.line
      let hash = String(decoding: line[(colon + 1)...], as: UTF8.self)
      do throws(PasswordHashSyntax.Fault) {
        try PasswordHashSyntax.check(hash[...])
        users.append((name, hash))
      } catch {
        report(.invalidHash, position, "\(name.quoted): \(error.message)", error.hint)
      }
    }

    mutating func report(
      _ code: ConfigurationIssue.Code, _ position: JSONPosition, _ message: String, _ hint: String,
      _ severity: ConfigurationIssue.Severity = .error
    ) {
      issues.append(
        ConfigurationIssue(
          file: file, position: position, pointer: JSONPointer(), code: code, severity: severity, message: message,
          hint: hint))
    }
  }
}

extension ConfigurationIssue.Code {
  /// A line of a file of users that is none.
  package static let invalidUser = Self(rawValue: "invalid-user")
  /// Two lines for one user.
  package static let duplicateUser = Self(rawValue: "duplicate-user")
  /// What stands for a password is no hash, or not one that is supported.
  package static let invalidHash = Self(rawValue: "invalid-hash")
  /// A file of users without any.
  package static let noUsers = Self(rawValue: "no-users")
  /// A file that others may read or change.
  package static let exposedFile = Self(rawValue: "exposed-file")
}
