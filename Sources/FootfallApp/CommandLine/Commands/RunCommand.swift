import ProxyConfiguration

extension CommandNode {
  static let run = CommandNode(
    name: "run",
    summary: "Run the proxy until a signal ends it.",
    discussion: """
      Mistakes in visitorID or in a rule turn that feature or rule off and are reported;
      any other mistake in the configuration keeps the proxy from starting.

      Signals:
        TERM, QUIT  stop accepting, finish open requests until the deadline, end
        INT         end now; so does a second TERM or QUIT
        HUP         read the configuration again; keep the old one when it has errors
        USR1        open the log files again, after they were rotated
        USR2        write the state to the log
      """,
    options: [.listen, .adminListen, .logLevel],
    examples: [
      .init("footfall run", "Run with the configuration from the usual places."),
      .init("footfall run -c Config/footfall.json -l 127.0.0.1:3128", "Run with that file, on another port."),
    ],
    exitCodes: [.noInput, .cannotCreate, .inputOutput, .temporary, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let file = try ConfigurationFile(invocation, readsSecrets: true)
      _ = try file.usable(invocation.console)
      for issue in file.loaded.issues { invocation.console.note(issue.description) }
      return invocation.environment.runProxy(file, invocation.environment, invocation.console)
    })
}
