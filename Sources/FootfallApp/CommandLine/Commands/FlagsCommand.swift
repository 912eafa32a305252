import Effects

extension CommandNode {
  static let flags = CommandNode(
    name: "flags",
    summary: "Show the flags of Cohorly and the rules that ask them, or evaluate them again.",
    discussion: """
      Looking at a flag here counts as no use of it. When an evaluation fails, the values before stay in
      force as far as cohorly.flagPersistence says so.
      """,
    operands: .init("[reload]", minimum: 0, maximum: 1),
    options: [.json, .ids, .adminListen],
    examples: [
      .init("footfall flags", "Show each flag with its value and where that comes from."),
      .init("footfall flags reload", "Evaluate the flags now, and show them then."),
    ],
    exitCodes: [.noInput, .unavailable, .temporary, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let word = invocation.arguments.operands.first
      guard word == nil || word == "reload" else {
        throw CommandFailure(
          .usage, "flags knows no \"\(word ?? "")\"", hint: "`footfall flags reload` evaluates them again.")
      }
      let query = invocation.arguments.has(.ids) ? "?ids=full" : ""
      let answer: JSONValue
      if word == nil {
        answer = try AdminClient(invocation).get("/flags\(query)")
      } else {
        answer = try AdminClient(invocation, deadlineMilliseconds: backendDeadline).post("/flags/reload\(query)", [:])
      }
      if invocation.arguments.has(.json) {
        try invocation.show(answer) { "" }
      } else {
        for line in FlagsText.lines(answer) { try invocation.console.print(line) }
      }
      return .ok
    })
}

/// The answer of `GET /flags` for people.
enum FlagsText {
  static func lines(_ answer: JSONValue) -> [String] {
    var lines = [PrintableText.line(summary(answer))]
    if let error = answer["lastError"]?.string { lines.append(PrintableText.line("  last failure: \(error)")) }
    if let flags = answer["flags"]?.array, !flags.isEmpty {
      var table = TextTable([("FLAG", .left), ("VALUE", .left), ("SOURCE", .left), ("STORED", .left)])
      for flag in flags {
        table.append([
          flag["key"]?.string ?? "?", word(flag["value"]), flag["source"]?.string ?? "?",
          flag["persistedAt"]?.string ?? "",
        ])
      }
      lines += [""] + table.lines
    }
    if let gates = answer["gates"]?.array, !gates.isEmpty {
      var table = TextTable([("RULE", .left), ("WHEN", .left), ("IS", .left), ("VALUE", .left), ("APPLIES", .left)])
      for gate in gates {
        let isKnown = gate["source"]?.string != "fallback"
        table.append([
          gate["rule"]?.string ?? "?", gate["flag"]?.string ?? "?", word(gate["is"]),
          word(gate["value"]) + (isKnown ? "" : " (unknown)"), gate["applies"] == true ? "yes" : "no",
        ])
      }
      lines += [""] + table.lines
    }
    return lines
  }

  private static func summary(_ answer: JSONValue) -> String {
    let count = Int64(answer["flags"]?.array?.count ?? 0)
    var text = "\(QuantityText.counted(count, "flag")) for \(answer["distinctID"]?.string ?? "?"), "
    if answer["loaded"] == true {
      text += "evaluated" + (answer["evaluatedAt"]?.string.map { " at \($0)" } ?? "")
    } else {
      text += "not evaluated since the start"
    }
    return text + " (\(answer["policy"]?.string ?? "?"))"
  }

  private static func word(_ value: JSONValue?) -> String {
    switch value {
    case .bool(let truth): "\(truth)"
    case .string(let text): text
    default: "?"
    }
  }
}
