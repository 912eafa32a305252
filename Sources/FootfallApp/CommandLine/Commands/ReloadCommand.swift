import Effects

extension CommandNode {
  static let reload = CommandNode(
    name: "reload",
    summary: "Make the running proxy read its configuration again.",
    discussion: "A configuration with errors changes nothing; the errors are shown. The same as the signal HUP.",
    options: [.adminListen],
    examples: [.init("footfall check && footfall reload", "Reload if there is no error.")],
    exitCodes: [.noInput, .unavailable, .temporary, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let answer = try AdminClient(invocation).post("/reload", [:])
      for warning in answer["warnings"]?.array ?? [] {
        invocation.console.note(PrintableText.line(warning.string ?? ""))
      }
      let hash = answer["hash"]?.string ?? "?"
      try invocation.console.print("The configuration \(PrintableText.line(hash)) is in force.")
      return .ok
    })
}
