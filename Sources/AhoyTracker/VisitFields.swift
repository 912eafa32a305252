package import Effects

/// What is told of a visit beside its tokens: the platform of the program and where the visitor came from.
package enum VisitFields {
  /// The columns of the gem's own table of visits that a client fills. The server drops what is in no column.
  package static let stored: Set<String> = [
    "platform", "app_version", "os_version", "landing_page", "referrer", "utm_source", "utm_medium", "utm_term",
    "utm_content", "utm_campaign",
  ]

  /// Names that are never a field of a visit: they would be read as something else at the root of a request.
  static let reserved: Set<String> = ["visit_token", "visitor_token", "events", "events_json", "name"]

  /// The fields of the program itself and the parameters of the visit, which count more.
  package static func merged(
    platform: String, appVersion: String, osVersion: String, parameters: [JSONMember]
  ) -> [JSONMember] {
    let environment = [
      JSONMember("app_version", .string(appVersion)), JSONMember("os_version", .string(osVersion)),
      JSONMember("platform", .string(platform)),
    ]
    return normalized(environment + parameters)
  }

  /// Each name once, the last one counting, in ascending order of bytes; without the names that are no field.
  static func normalized(_ members: [JSONMember]) -> [JSONMember] {
    var values: [String: JSONValue] = [:]
    for member in members where !reserved.contains(member.name) {
      values[member.name] = member.value.string.map { .string(PortableText.text($0)) } ?? member.value
    }
    return sorted(values.map { JSONMember($0.key, $0.value) })
  }

  /// In ascending order of the names' bytes, as `JSONEncoder` sorts keys.
  static func sorted(_ members: [JSONMember]) -> [JSONMember] {
    members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}
