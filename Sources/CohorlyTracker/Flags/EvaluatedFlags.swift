package import Effects

/// All flags of one evaluation, for one identity.
package struct EvaluatedFlags: Sendable, Hashable {
  package let flags: [String: Flag]
  /// The flags as the server wrote them, with what this version does not read.
  package let received: [JSONMember]

  /// Reads the map of an answer or of a cache.
  ///
  /// One flag that is none makes all of it unreadable: without it a part of the flags would silently be unknown.
  init(_ value: JSONValue?) throws(FlagFault) {
    guard let value else { throw FlagFault("there are no flags") }
    guard case .object(let members) = value else { throw FlagFault("the flags are no object") }
    var flags = [String: Flag](minimumCapacity: members.count)
    for member in members { flags[member.name] = try Self.flag(member) }
    self.flags = flags
    received = members
  }

  private static func flag(_ member: JSONMember) throws(FlagFault) -> Flag {
    func fault(_ what: String) -> FlagFault { FlagFault("the flag '\(FlagFault.printable(member.name))' \(what)") }
    guard case .object = member.value else { throw fault("is no object") }
    guard let isEnabled = member.value["enabled"]?.bool else { throw fault("does not say whether it is enabled") }
    switch member.value["variant"] {
    case .string(let variant): return Flag(isEnabled: isEnabled, variant: variant, payload: member.value["payload"])
    case .null, nil: return Flag(isEnabled: isEnabled, payload: member.value["payload"])
    default: throw fault("has a variant that is no text")
    }
  }
}

/// Why something does not hold flags.
struct FlagFault: Error, Sendable, Hashable {
  /// In words for an operator.
  let reason: String

  init(_ reason: String) { self.reason = reason }

  /// The start of a text from the server, fit for a line of a log.
  static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(text.unicodeScalars.prefix(120).map { ("\u{20}"..."\u{7e}").contains($0) ? $0 : "?" }))
  }
}
