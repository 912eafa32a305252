package import Effects

/// A change of a profile (contract, section 1.3, `/engage`).
package enum PeopleOperation: Sendable, Hashable {
  case set([JSONMember])
  /// Only what the profile does not have yet.
  case setOnce([JSONMember])
  /// Numbers to add, negative ones, too. Other values are left out.
  case increment([JSONMember])
  /// Names to remove. The server refuses it to who has only a project's token.
  case unset([String])
  /// The whole profile. Refused as ``unset(_:)``.
  case delete

  /// Whether it says anything: the server refuses an operation without a content, and with it its whole batch.
  package var isEmpty: Bool {
    switch self {
    case .set(let members), .setOnce(let members): members.isEmpty
    case .increment(let members): Self.numbers(members).isEmpty
    case .unset(let names): names.isEmpty
    case .delete: false
    }
  }

  /// The record that asks for it, for a profile.
  package func record(distinctID: String) -> CohorlyRecord {
    let verb =
      switch self {
      case .set(let members): JSONMember("$set", .object(members))
      case .setOnce(let members): JSONMember("$set_once", .object(members))
      case .increment(let members): JSONMember("$add", .object(Self.numbers(members)))
      case .unset(let names): JSONMember("$unset", .array(names.map { .string($0) }))
      case .delete: JSONMember("$delete", true)
      }
    return CohorlyRecord(path: .engage, body: [JSONMember("distinct_id", .string(distinctID)), verb])
  }

  private static func numbers(_ members: [JSONMember]) -> [JSONMember] {
    members.filter { member in
      switch member.value {
      case .integer, .double: true
      default: false
      }
    }
  }
}
