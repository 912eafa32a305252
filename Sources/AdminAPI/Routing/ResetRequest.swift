import Effects

/// The body of `POST /reset`: `{"what": ["visitorID"]}`, or `{"what": ["cohorly"], "flush": true}`.
struct ResetRequest {
  static let example = #"{"what": ["visitorID"]}"#

  /// In the order given, each once.
  let targets: [ResetTarget]
  /// What waits for Cohorly is sent before it would be discarded.
  let flushesFirst: Bool

  init(_ body: JSONValue) throws(AdminError) {
    try AdminBody.refuseMembers(of: body, except: ["what", "flush"])
    targets = try ResetRequest.targets(in: body)
    switch body["flush"] {
    case nil: flushesFirst = false
    case .bool(let truth): flushesFirst = truth
    default:
      throw AdminError(.invalidParameter, "The member flush is not true or false.", hint: "Send \"flush\": true.")
    }
    if flushesFirst, !targets.contains(.cohorly) {
      throw AdminError(
        .invalidParameter, "Nothing that is reset here discards events, so that there is nothing to flush.",
        hint: "Leave flush out, or reset cohorly.")
    }
  }

  private static func targets(in body: JSONValue) throws(AdminError) -> [ResetTarget] {
    let known = ResetTarget.allCases.map(\.rawValue).joined(separator: ", ")
    guard let names = body["what"]?.array, !names.isEmpty else {
      throw AdminError(
        .missingParameter, "The member what is missing, empty or no array.",
        hint: "Send \(example); known names: \(known).")
    }
    var targets: [ResetTarget] = []
    for value in names {
      guard let name = value.string else {
        throw AdminError(
          .unknownTarget, "The array what holds something else than strings.", hint: "Known names: \(known).")
      }
      guard let target = ResetTarget(rawValue: name) else {
        throw AdminError(
          .unknownTarget, "There is nothing called \"\(name)\" to reset.", hint: "Known names: \(known).")
      }
      if !targets.contains(target) { targets.append(target) }
    }
    return targets
  }
}
