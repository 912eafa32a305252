import ProxyConfiguration

extension CommandNode {
  static let config = CommandNode(
    name: "config", summary: "Tell about the configuration file.", children: [configSchema])

  private static let configSchema = CommandNode(
    name: "schema",
    summary: "Print the JSON Schema of the configuration file.",
    discussion: "Editors use it for completion and checks: save it, and name it as \"$schema\" in the file.",
    examples: [.init("footfall config schema > footfall.schema.json", "Save the schema (draft 2020-12).")],
    action: { (invocation) throws(CommandFailure) in
      try invocation.console.write(ConfigurationSchema.text)
      return .ok
    })
}
