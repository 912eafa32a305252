package import Effects

/// The JSON Schema of the configuration (draft 2020-12): made from the very keys that the reader knows.
package enum ConfigurationSchema {
  /// The schema as a value.
  package static var json: JSONValue {
    .object(
      [
        JSONMember("$schema", "https://json-schema.org/draft/2020-12/schema"),
        JSONMember("title", "Footfall configuration"),
        JSONMember("description", .string(ConfigurationDocument.summary)),
      ] + ConfigurationDocument.kind.schema)
  }

  /// The schema as text, with a line end.
  package static var text: String { JSONWriter.text(json, indentation: 2) + "\n" }
}
