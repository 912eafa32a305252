import AdminAPI
import Effects
import ProxyConfiguration

extension CommandOption {
  fileprivate static let flushFirst = CommandOption(
    "flush", "Send what waits for Cohorly first; if that fails, its identity stays.")
}

extension CommandNode {
  static let reset = CommandNode(
    name: "reset",
    summary: "Give the running proxy a new visitor id, or begin a new visit or identity.",
    discussion: """
      What is new is stored before the command ends, and the next request carries it. A reset of Cohorly
      discards what is not sent of the identity before, and says how much that was.
      """,
    operands: .init("[visitorID] [visit] [cohorly]", minimum: 0),
    options: [.flushFirst, .json, .ids, .adminListen],
    examples: [
      .init("footfall reset", "Start over as a new visitor."),
      .init("footfall reset visit", "Begin another visit of Ahoy with the same visitor."),
      .init("footfall reset cohorly --flush", "Send what waits, then begin an anonymous identity."),
    ],
    exitCodes: [.noInput, .unavailable, .temporary, .inputOutput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let names = try targets(invocation.arguments.operands)
      var members = [JSONMember("what", .array(names.map { .string($0.rawValue) }))]
      let waits = names.contains(.cohorly)
      if invocation.arguments.has(.flushFirst) {
        guard waits else {
          throw CommandFailure(.usage, "--flush is for cohorly only", hint: "Such as `footfall reset cohorly --flush`.")
        }
        members.append(JSONMember("flush", true))
      }
      let target = invocation.arguments.has(.ids) ? "/reset?ids=full" : "/reset"
      let answer = try AdminClient(invocation, deadlineMilliseconds: waits ? backendDeadline : 10_000)
        .post(target, .object(members))
      if invocation.arguments.has(.json) {
        try invocation.console.print(PrintableText.json(JSONWriter.text(answer, indentation: 2)))
        return .ok
      }
      for result in answer["reset"]?.array ?? [] {
        let what = result["what"]?.string ?? "?"
        let text =
          switch result["outcome"]?.string {
          case "renewed":
            "\(what): the new id \(result["id"]?.string ?? "?") is in force" + discarded(result["discarded"]?.integer)
          case "cleared": "\(what): the feature is off; what was stored is gone"
          case let other: "\(what): \(other ?? "?")"
          }
        try invocation.console.print(PrintableText.line(text))
      }
      return .ok
    })

  private static func discarded(_ count: Int64?) -> String {
    guard let count, count > 0 else { return "" }
    return ", \(QuantityText.counted(count, "unsent record")) discarded"
  }

  private static func targets(_ names: [String]) throws(CommandFailure) -> [ResetTarget] {
    guard !names.isEmpty else { return [.visitorID] }
    var targets: [ResetTarget] = []
    for name in names {
      guard let target = ResetTarget(rawValue: name) else {
        let known = ResetTarget.allCases.map(\.rawValue)
        let near = Suggestion.closest(to: name, among: known)
        throw CommandFailure(
          .usage, "there is nothing called \"\(name)\" to reset",
          hint: near.map { "Did you mean \"\($0)\"?" } ?? "Known: \(known.joined(separator: ", ")).")
      }
      targets.append(target)
    }
    return targets
  }
}
