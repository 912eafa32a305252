import LoopRuntime
import ProxyConfiguration

extension CommandOption {
  fileprivate static let once = CommandOption("once", "Ask for the password once only, also on a terminal.")
}

extension CommandNode {
  static let users = CommandNode(
    name: "users", summary: "Make lines for the file of users (access.users.file).", children: [usersHash])

  private static let usersHash = CommandNode(
    name: "hash",
    summary: "Print the line of a user: the name and the bcrypt hash of a password.",
    discussion: "The password is read from the standard input: typed unseen on a terminal, otherwise its first line.",
    operands: .init("NAME", minimum: 1, maximum: 1),
    options: [.once],
    examples: [
      .init("footfall users hash ada >> proxy.users", "Add a user to the file; the password is asked for."),
      .init("pass show proxy/ada | footfall users hash ada", "Take the password from another program."),
    ],
    exitCodes: [.dataError],
    action: { (invocation) throws(CommandFailure) in
      let name = invocation.arguments.operands[0]
      guard (1...255).contains(name.utf8.count), !name.utf8.contains(UInt8(ascii: ":")), name.utf8.first != 0x23,
        name.utf8.first != 0x20, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
      else {
        throw CommandFailure(
          .dataError, "\"\(name)\" cannot be the name of a user",
          hint: "It has 1 to 255 bytes, no colon, no control character, and no # or blank at its beginning.")
      }
      let ask = invocation.environment.readSecret
      guard let password = ask("Password for \(PrintableText.line(name)): "), !password.isEmpty else {
        throw CommandFailure(.dataError, "there is no password", hint: "Type it, or pipe it into the command.")
      }
      if invocation.environment.inputIsTerminal, !invocation.arguments.has(.once), ask("Once more: ") != password {
        throw CommandFailure(.dataError, "the passwords are not the same")
      }
      guard password.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
        throw CommandFailure(.dataError, "the password has a control character, which no client could send")
      }
      guard let hash = PasswordHash.make(password) else {
        throw CommandFailure(
          .dataError, "the password has more than 72 bytes", hint: "bcrypt looks at no more than that.")
      }
      try invocation.console.print("\(name):\(hash)")
      return .ok
    })
}
