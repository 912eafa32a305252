import AdminAPI
import Effects
import ProxyConfiguration

extension CommandNode {
  static let reset = CommandNode(
    name: "reset",
    summary: "Give the running proxy a new visitor id, or begin a new visit.",
    discussion: "What is new is stored before the command ends, and the next request carries it.",
    operands: .init("[visitorID] [visit]", minimum: 0),
    options: [.json, .ids, .adminListen],
    examples: [
      .init("footfall reset", "Start over as a new visitor."),
      .init("footfall reset visit", "Begin another visit of Ahoy with the same visitor."),
    ],
    exitCodes: [.noInput, .unavailable, .inputOutput, .permission, .configuration],
    action: { (invocation) throws(CommandFailure) in
      let names = try targets(invocation.arguments.operands)
      let body: JSONValue = ["what": .array(names.map { .string($0.rawValue) })]
      let target = invocation.arguments.has(.ids) ? "/reset?ids=full" : "/reset"
      let answer = try AdminClient(invocation).post(target, body)
      if invocation.arguments.has(.json) {
        try invocation.console.print(PrintableText.json(JSONWriter.text(answer, indentation: 2)))
        return .ok
      }
      for result in answer["reset"]?.array ?? [] {
        let what = result["what"]?.string ?? "?"
        let text =
          switch result["outcome"]?.string {
          case "renewed": "\(what): the new id \(result["id"]?.string ?? "?") is in force"
          case "cleared": "\(what): the feature is off; what was stored is gone"
          case let other: "\(what): \(other ?? "?")"
          }
        try invocation.console.print(PrintableText.line(text))
      }
      return .ok
    })

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
