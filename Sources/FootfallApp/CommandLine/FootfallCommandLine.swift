/// The command line: from arguments to an exit code.
package enum FootfallCommandLine {
  /// All commands.
  package static let root = CommandNode(
    name: "footfall",
    summary: "A forward proxy that adds a visitor id to the requests that rules name.",
    options: [CommandOption("version", short: "V", "Show the version.")],
    children: [
      .run, .check, .config, .rules, .status, .reset, .events, .reload, .visit, .track, .attach, .detach, .identify,
      .people, .flags, .flush, .deadLetters, .users, .version,
    ])

  /// Runs the command that the arguments name.
  package static func run(_ environment: CommandEnvironment) -> ExitCode {
    var arguments = environment.arguments
    // `help rules test` is another way to say `rules test --help`.
    if arguments.first == "help" { arguments = arguments.dropFirst() + ["--help"] }
    if ["--version", "-V"].contains(arguments.first) { arguments[0] = "version" }
    let outcome = ArgumentParser.parse(arguments, root: root)
    let parsed: ParsedArguments
    switch outcome {
    case .run(_, let given), .help(_, let given), .refused(_, let given, _): parsed = given
    }
    let console = Console(environment, allowsColor: !parsed.has(.noColor))
    do throws(CommandFailure) {
      switch outcome {
      case .help(let path, _):
        try console.write(HelpText.render(path))
        return .ok
      case .refused(let path, _, let failure):
        console.report(failure)
        if arguments.isEmpty {
          console.note("\n" + HelpText.render(path))
          return failure.code
        }
        console.note("Usage: \(HelpText.usage(path))")
        console.note("\"\(path.map(\.name).joined(separator: " ")) --help\" tells more.")
        return failure.code
      case .run(let node, _):
        guard let action = node.action else { return .internalError }
        return try action(Invocation(arguments: parsed, environment: environment, console: console))
      }
    } catch {
      console.report(error)
      return error.code
    }
  }
}
