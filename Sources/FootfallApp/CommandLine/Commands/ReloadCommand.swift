import Effects

extension CommandNode {
  static let reload = CommandNode(
    name: "reload",
    summary: "Make the running proxy read its configuration again.",
    discussion: "A configuration with errors changes nothing; the errors are shown. The same as the signal HUP.",
    options: [.json, .adminListen],
    examples: [.init("footfall check && footfall reload", "Reload if there is no error.")],
    exitCodes: [.noInput, .unavailable, .temporary, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let answer = try AdminClient(invocation).post("/reload", [:])
      if invocation.arguments.has(.json) {
        try invocation.console.print(PrintableText.json(JSONWriter.text(answer, indentation: 2)))
        return .ok
      }
      for warning in answer["warnings"]?.array ?? [] {
        let text = warning.string ?? ""
        // An issue of the file says its severity behind its place.
        invocation.console.note(PrintableText.line(text.contains(": warning") ? text : "warning: \(text)"))
      }
      let path = answer["path"]?.string ?? "the configuration"
      try invocation.console.print("\(PrintableText.line(path)) was read again and is in force")
      return .ok
    })
}
