import AdminAPI
import Effects

extension CommandNode {
  static let version = CommandNode(
    name: "version",
    summary: "Show the version of this program and of its libraries.",
    options: [.json],
    examples: [.init("footfall version --json", "The versions as an object.")],
    action: { (invocation) throws(CommandFailure) in
      let versions = invocation.environment.versions
      if invocation.arguments.has(.json) {
        var members = [JSONMember("footfall", .string(versions.footfall))]
        members += versions.details.map { JSONMember($0.name, .string($0.version)) }
        try invocation.console.print(JSONWriter.text(.object(members), indentation: 2))
      } else {
        var text = "footfall \(versions.footfall)"
        let details = versions.details.map { $0.name == "commit" ? $0.version : "\($0.name) \($0.version)" }
        if !details.isEmpty { text += " (\(details.joined(separator: ", ")))" }
        try invocation.console.print(text)
      }
      return .ok
    })
}

extension StatusReport.Versions {
  /// All that is known beside the program's own version.
  fileprivate var details: [Library] {
    ([Library("commit", commit), Library("swift", swift)] + libraries).filter { !$0.version.isEmpty }
  }
}
