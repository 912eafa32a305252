import Effects

/// Where each key belongs.
enum ConfigurationKeyIndex {
  /// A hint for a key that is at home in another section; nil when no section has it.
  static func hint(for name: String) -> String? {
    guard let place = places.first(where: { $0.name == name }) else { return nil }
    return place.section.isEmpty ? "it belongs to the top of the file" : "it belongs to \"\(place.section)\""
  }

  private static let places: [(name: String, section: String)] = {
    guard case .object(let schema) = JSONValue.object(ConfigurationDocument.kind.schema),
      let top = schema.first(where: { $0.name == "properties" })?.value.members
    else { return [] }
    var places = top.map { (name: $0.name, section: "") }
    for section in top {
      let object = section.value["properties"] ?? section.value["anyOf"]?.array?.first?["properties"]
      places += (object?.members ?? []).map { (name: $0.name, section: section.name) }
    }
    return places.filter { $0.name != "$schema" }
  }()
}
