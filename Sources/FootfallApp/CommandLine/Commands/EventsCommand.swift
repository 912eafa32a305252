import ProxyConfiguration

extension CommandOption {
  fileprivate static let follow = CommandOption("follow", short: "f", "Go on printing events as they are stored.")
  fileprivate static let limit = CommandOption(
    "limit", short: "n", value: "N|all", "How many of the newest stored events to print first. Default: 100.")
}

extension CommandNode {
  static let events = CommandNode(
    name: "events",
    summary: "Print the recorded events, oldest first.",
    discussion: "Reads the local database, also while the proxy runs and after it has ended.",
    options: [.json, .follow, .limit],
    examples: [
      .init("footfall events --limit 20", "The newest twenty events."),
      .init("footfall events --json --follow", "One JSON object per line, as they come."),
    ],
    exitCodes: [.dataError, .noInput, .inputOutput, .temporary, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let limit = try EventLimit(invocation.arguments.value(of: .limit) ?? "100")
      let file = try ConfigurationFile(invocation)
      if file.loaded.configuration == nil {
        // What is stored can be read as long as it is known where.
        guard file.loaded.state != nil else { throw file.refusal(invocation.console) }
        invocation.console.note(
          "note: \(PrintableText.line(file.path)) has errors, `footfall check` shows them; "
            + "these are the events in \(PrintableText.line(file.stateDirectory))")
      }
      var printer = EventPrinter(
        directory: file.stateDirectory, asJSON: invocation.arguments.has(.json), console: invocation.console)
      try printer.printStored(limit)
      guard invocation.arguments.has(.follow) else {
        printer.noteWhenEmpty()
        return .ok
      }
      while invocation.environment.pause(200) { try printer.printNew() }
      return .ok
    })
}

/// How many stored events to print.
enum EventLimit {
  case newest(Int)
  case all

  private static let hint = "Use a number from 1, or all."

  init(_ text: String) throws(CommandFailure) {
    if text == "all" {
      self = .all
      return
    }
    guard let number = Int(text) else {
      throw CommandFailure(.usage, "the limit \"\(text)\" is no whole number", hint: EventLimit.hint)
    }
    guard number >= 1 else { throw CommandFailure(.usage, "the limit \(number) is below 1", hint: EventLimit.hint) }
    self = .newest(number)
  }
}
