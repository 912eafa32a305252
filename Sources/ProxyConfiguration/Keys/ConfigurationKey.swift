import Effects

/// A JSON object of the configuration: a struct whose initial values are the defaults of its keys.
protocol ConfigurationSection: Sendable {
  /// The section with all defaults.
  init()
  /// What the section is for.
  static var summary: String { get }
  /// All keys that this version knows.
  static var keys: [ConfigurationKey<Self>] { get }
  /// Keys of later versions.
  static var laterKeys: [String] { get }
  /// What to say about keys that somebody may expect here.
  static var expectations: [String: String] { get }
}

extension ConfigurationSection {
  static var laterKeys: [String] { [] }
  static var expectations: [String: String] { [:] }
}

/// One key of a section: its name, where its value goes, how it is written, what it means. The reader and the schema are
/// both made from it, so that they cannot disagree.
struct ConfigurationKey<Section: Sendable>: Sendable {
  let name: String
  /// Whether the key must be there.
  let isRequired: Bool
  /// The schema of its value, with description, default and examples.
  let schema: JSONValue
  /// Reads the value into the section; leaves the default when it is not valid.
  let read: @Sendable (JSONNode, inout Section, inout ReadingContext) -> Void

  init<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Section, Value> & Sendable, _ kind: ValueKind<Value>, _ summary: String,
    examples: [JSONValue]
  ) where Section: ConfigurationSection {
    self.init(name, path, kind, summary, initial: kind.write(Section()[keyPath: path]), examples: examples)
  }

  /// A key without default, that must be there.
  init<Value: Sendable>(
    required name: String, _ path: any WritableKeyPath<Section, Value> & Sendable, _ kind: ValueKind<Value>,
    _ summary: String, examples: [JSONValue]
  ) {
    self.init(name, path, kind, summary, initial: nil, examples: examples)
  }

  /// A key without a written default: what it is when absent, the summary says.
  init<Value: Sendable>(
    optional name: String, _ path: any WritableKeyPath<Section, Value?> & Sendable, _ kind: ValueKind<Value>,
    _ summary: String, examples: [JSONValue]
  ) {
    self.init(name, path, .optional(kind), summary, initial: nil, examples: examples, isRequired: false)
  }

  private init<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Section, Value> & Sendable, _ kind: ValueKind<Value>, _ summary: String,
    initial: JSONValue?, examples: [JSONValue], isRequired: Bool? = nil
  ) {
    self.name = name
    self.isRequired = isRequired ?? (initial == nil)
    var schema = [JSONMember("description", .string(summary))] + kind.schema
    if let initial { schema.append(JSONMember("default", initial)) }
    if !examples.isEmpty { schema.append(JSONMember("examples", .array(examples))) }
    self.schema = .object(schema)
    read = { node, section, context in
      if let value = kind.read(node, &context) { section[keyPath: path] = value }
    }
  }
}

extension ValueKind where Value: ConfigurationSection {
  /// An object with the section's keys.
  static var section: Self {
    var schema = [
      JSONMember("type", "object"),
      JSONMember("properties", .object(Value.keys.map { JSONMember($0.name, $0.schema) })),
      JSONMember("additionalProperties", false),
    ]
    let required = Value.keys.filter(\.isRequired)
    if !required.isEmpty { schema.append(JSONMember("required", .array(required.map { .string($0.name) }))) }
    return Self(schema: schema) { node, context in
      guard case .object(let members) = node.kind else {
        context.reportType(node, expected: "an object")
        return nil
      }
      var section = Value()
      for member in members {
        context.descend(.name(member.name)) { context in
          if let key = Value.keys.first(where: { $0.name == member.name }) {
            key.read(member.node, &section, &context)
          } else {
            Value.reportUnknown(member, &context)
          }
        }
      }
      for key in Value.keys where key.isRequired && node.member(key.name) == nil && !context.isCut {
        context.report(.missingKey, at: node.position, "the key \"\(key.name)\" is missing", hint: "it has no default")
      }
      return section
    } write: { _ in
      // What is absent has the defaults of its keys.
      .object([])
    }
  }
}

extension ConfigurationSection {
  fileprivate static func reportUnknown(_ member: JSONNode.Member, _ context: inout ReadingContext) {
    let name = member.name
    if laterKeys.contains(name) {
      context.report(
        .unsupportedKey, at: member.namePosition, "this version does not support \(name.quoted) yet", hint: "remove it")
      return
    }
    let names = keys.map(\.name)
    let close = Suggestion.closest(to: name, among: names)
    let hint = expectations[name] ?? close.map { "did you mean \"\($0)\"?" } ?? ConfigurationKeyIndex.hint(for: name)
    context.report(
      .unknownKey, at: member.namePosition, "unknown key \(name.quoted)",
      hint: hint ?? Suggestion.hint(for: name, among: names))
  }
}
