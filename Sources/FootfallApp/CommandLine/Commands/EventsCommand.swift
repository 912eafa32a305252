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
      _ = try file.usable(invocation.console)
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

  init(_ text: String) throws(CommandFailure) {
    if text == "all" {
      self = .all
    } else if let number = Int(text), number >= 0 {
      self = .newest(number)
    } else {
      throw CommandFailure(.usage, "the limit \"\(text)\" is no number", hint: "Use a number from 0, or all.")
    }
  }
}
