import ProxyConfiguration

/// Finds the command in the arguments and checks its options and operands.
package struct ArgumentParser: Sendable {
  /// What the arguments ask for.
  package enum Outcome: Sendable {
    case run(CommandNode, ParsedArguments)
    /// Show the help of the last command of the path.
    case help([CommandNode], ParsedArguments)
    /// Something is wrong; the path leads to the command it was said to.
    case refused([CommandNode], ParsedArguments, CommandFailure)
  }

  private var path: [CommandNode]
  private var parsed = ParsedArguments()
  private var optionsEnded = false

  private init(root: CommandNode) { path = [root] }

  /// Reads the arguments, without the program's name. Asking for help beats every mistake in the rest.
  package static func parse(_ arguments: [String], root: CommandNode) -> Outcome {
    var parser = ArgumentParser(root: root)
    var failure: CommandFailure?
    do throws(CommandFailure) {
      try parser.read(arguments)
      try parser.checkOperands()
    } catch {
      failure = error
    }
    let asksForHelp =
      parser.parsed.has(.help)
      || arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    if asksForHelp { return .help(parser.path, parser.parsed) }
    if let failure { return .refused(parser.path, parser.parsed, failure) }
    return .run(parser.node, parser.parsed)
  }

  private var node: CommandNode { path[path.count - 1] }

  private mutating func read(_ arguments: [String]) throws(CommandFailure) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if optionsEnded || argument == "-" || !argument.hasPrefix("-") {
        try take(operand: argument)
      } else if argument == "--" {
        optionsEnded = true
      } else if argument.hasPrefix("--") {
        try take(long: argument.dropFirst(2), &rest)
      } else {
        try take(shorts: argument.dropFirst(), &rest)
      }
    }
  }

  private mutating func take(operand: String) throws(CommandFailure) {
    guard !node.children.isEmpty else { return parsed.operands.append(operand) }
    if let child = node.child(operand) { return path.append(child) }
    let near = Suggestion.closest(to: operand, among: node.children.map(\.name))
    throw CommandFailure(
      .usage, "unknown command \"\(operand)\"", hint: near.map { "Did you mean \"\($0)\"?" })
  }

  private mutating func take(long text: Substring, _ rest: inout ArraySlice<String>) throws(CommandFailure) {
    let equals = text.firstIndex(of: "=")
    let name = String(text[..<(equals ?? text.endIndex)])
    guard let option = node.allOptions.first(where: { $0.long == name }) else {
      let near = Suggestion.closest(to: name, among: node.allOptions.map(\.long))
      throw CommandFailure(.usage, "unknown option --\(name)", hint: near.map { "Did you mean --\($0)?" })
    }
    let given = equals.map { String(text[text.index(after: $0)...]) }
    if option.value == nil, given != nil { throw CommandFailure(.usage, "option --\(name) takes no value") }
    parsed.options[name, default: []].append(try value(of: option, given: given, &rest))
  }

  /// One dash: flags may be joined, and a value may follow its option directly.
  private mutating func take(shorts text: Substring, _ rest: inout ArraySlice<String>) throws(CommandFailure) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = node.allOptions.first(where: { $0.short == letter }) else {
        throw CommandFailure(.usage, "unknown option -\(letter)")
      }
      var given: String?
      if option.value != nil, !letters.isEmpty {
        given = String(letters.first == "=" ? letters.dropFirst() : letters)
        letters = ""
      }
      parsed.options[option.long, default: []].append(try value(of: option, given: given, &rest))
    }
  }

  private func value(
    of option: CommandOption, given: String?, _ rest: inout ArraySlice<String>
  ) throws(CommandFailure) -> String {
    guard let name = option.value else { return "" }
    guard let value = given ?? rest.popFirst(), !value.isEmpty else {
      throw CommandFailure(.usage, "option --\(option.long) needs a value: \(name)")
    }
    return value
  }

  private func checkOperands() throws(CommandFailure) {
    if node.action == nil {
      throw CommandFailure(.usage, path.count > 1 ? "which \(node.name) command?" : "which command?")
    }
    if parsed.operands.count < node.operands.minimum {
      throw CommandFailure(.usage, "missing argument: \(node.operands.usage)")
    }
    if parsed.operands.count > node.operands.maximum {
      throw CommandFailure(.usage, "unexpected argument \"\(parsed.operands[node.operands.maximum])\"")
    }
  }
}
