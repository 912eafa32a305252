/// One command, or a group of commands, with all that its help says about it.
package struct CommandNode: Sendable {
  /// One way to use the command, and what it does.
  package struct Example: Sendable {
    package var command: String
    package var meaning: String

    package init(_ command: String, _ meaning: String) {
      self.command = command
      self.meaning = meaning
    }
  }

  /// What may stand beside the options.
  package struct Operands: Sendable {
    /// As the help shows them; empty when there are none.
    package var usage: String
    package var minimum: Int
    package var maximum: Int

    package init(_ usage: String, minimum: Int, maximum: Int = .max) {
      self.usage = usage
      self.minimum = minimum
      self.maximum = maximum
    }

    package static let none = Operands("", minimum: 0, maximum: 0)
  }

  package typealias Action = @Sendable (Invocation) throws(CommandFailure) -> ExitCode

  package var name: String
  /// One line, for the list of commands.
  package var summary: String
  /// A few lines more, for the command's own help.
  package var discussion = ""
  package var operands = Operands.none
  /// The options beside those that every command takes.
  package var options: [CommandOption] = []
  package var examples: [Example] = []
  /// The ways it ends beside success and wrong use.
  package var exitCodes: [ExitCode] = []
  package var children: [CommandNode] = []
  /// Nil for a group.
  package var action: Action?

  package func child(_ name: String) -> CommandNode? { children.first { $0.name == name } }

  /// Its own options and those that every command takes.
  package var allOptions: [CommandOption] { options + CommandOption.everywhere }
}

/// A command with its arguments and the world it runs in.
package struct Invocation: Sendable {
  package var arguments: ParsedArguments
  package var environment: CommandEnvironment
  package var console: Console
}
