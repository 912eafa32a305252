import Effects

/// Holds a value to the part of JSON Schema that the document uses.
enum SchemaCheck {
  /// What is wrong, with the place in the value; empty when it fits.
  static func problems(of value: JSONValue, against schema: JSONValue, at place: String) -> [String] {
    var problems: [String] = []
    let types = schema["type"]?.array?.compactMap(\.string) ?? schema["type"]?.string.map { [$0] } ?? []
    if !types.isEmpty, !types.contains(where: { fits(value, type: $0) }) {
      problems.append("\(place): not of type \(types)")
    }
    if let constant = schema["const"], value != constant { problems.append("\(place): not \(constant)") }
    if let choices = schema["anyOf"]?.array,
      !choices.contains(where: { self.problems(of: value, against: $0, at: place).isEmpty })
    {
      problems.append("\(place): fits no alternative")
    }
    if let words = schema["enum"]?.array, !words.contains(value) { problems.append("\(place): not one of \(words)") }
    if let items = schema["items"] {
      for (index, element) in (value.array ?? []).enumerated() {
        problems += self.problems(of: element, against: items, at: "\(place)/\(index)")
      }
    }
    guard let members = value.members else { return problems }
    for name in schema["required"]?.array?.compactMap(\.string) ?? [] where value[name] == nil {
      problems.append("\(place)/\(name): missing")
    }
    for member in members {
      let place = "\(place)/\(member.name)"
      if let property = schema["properties"]?[member.name] {
        problems += self.problems(of: member.value, against: property, at: place)
      } else if schema["additionalProperties"] == false {
        problems.append("\(place): not described")
      } else if let others = schema["additionalProperties"] {
        problems += self.problems(of: member.value, against: others, at: place)
      }
    }
    return problems
  }

  private static func fits(_ value: JSONValue, type: String) -> Bool {
    switch (value, type) {
    case (.null, "null"), (.bool, "boolean"), (.integer, "integer"), (.integer, "number"), (.double, "number"),
      (.string, "string"), (.array, "array"), (.object, "object"):
      true
    default: false
    }
  }
}
