import Effects
import ProxyConfiguration
import ProxyCore

/// The users that a configuration names a file for, and what is wrong with that file.
struct AccessUsers {
  /// Nil when no password is asked for, and when there is an error.
  private(set) var table: UserTable?
  private(set) var issues: [ConfigurationIssue] = []

  var hasErrors: Bool { issues.contains { $0.severity == .error } }

  /// Reads and checks the file.
  static func load(
    _ configuration: Configuration, _ readFile: (String) -> FileReading,
    permissions: (String) -> UInt32? = ProcessFiles.permissions
  ) -> AccessUsers {
    var access = AccessUsers()
    guard let section = configuration.access.users else { return access }
    let path = section.file
    switch readFile(path) {
    case .content(let bytes):
      let (users, issues) = UsersFile.read(bytes, file: path)
      access.issues = exposure(path, permissions(path)) + issues
      if !access.hasErrors { access.table = UserTable(realm: section.realm, users: users) }
    case .missing:
      access.issues = [
        issue(path, .unreadableFile, "the file of users does not exist", "make a line with `footfall users hash NAME`")
      ]
    case .denied(let reason):
      access.issues = [
        issue(
          path, .unreadableFile, "the file of users cannot be read: \(reason)",
          "give it to the user who runs the proxy, with mode 0600")
      ]
    case .failed(let reason):
      access.issues = [issue(path, .unreadableFile, "the file of users cannot be read: \(reason)", "")]
    }
    return access
  }

  /// The failure of a command that cannot go on with the file.
  func refusal(_ console: Console) -> CommandFailure {
    for issue in issues { console.note(issue.description) }
    return CommandFailure(
      .configuration, "the file of users has errors", hint: "`footfall check` shows them; `footfall users hash` helps.")
  }

  /// Whoever may write the file lets in whom he wants; whoever may read it can guess passwords at his leisure.
  private static func exposure(_ path: String, _ mode: UInt32?) -> [ConfigurationIssue] {
    guard let mode else { return [] }
    let shown = "0" + String(mode, radix: 8)
    if mode & 0o022 != 0 {
      return [issue(path, .exposedFile, "others may change the file of users, it has mode \(shown)", "give it 0600")]
    }
    if mode & 0o004 != 0 {
      return [
        issue(
          path, .exposedFile, "others may read the file of users, it has mode \(shown)", "give it 0600 or 0640",
          .warning)
      ]
    }
    return []
  }

  private static func issue(
    _ path: String, _ code: ConfigurationIssue.Code, _ message: String, _ hint: String,
    _ severity: ConfigurationIssue.Severity = .error
  ) -> ConfigurationIssue {
    ConfigurationIssue(
      file: path, position: .start, pointer: JSONPointer(), code: code, severity: severity, message: message, hint: hint
    )
  }
}
