import Effects

/// The body of `POST /reset`: `{"what": ["visitorID"]}`.
enum ResetRequest {
  static let example = #"{"what": ["visitorID"]}"#

  /// Names of the interface that belong to features this version does not have.
  private static let later = ["cohorly"]

  /// The targets in the order given, each once.
  static func targets(in body: JSONValue) throws(AdminError) -> [ResetTarget] {
    try AdminBody.refuseMembers(of: body, except: ["what"])
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
      if later.contains(name) {
        throw AdminError(
          .unsupportedTarget, "\"\(name)\" is not part of this version.", hint: "Known names: \(known).")
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
