import Effects
import Foundation
import ProxyConfiguration
import Testing

/// The schema and the reader say the same.
@Suite struct ConfigurationSchemaTests {
  private static let schema = ConfigurationSchema.json

  /// Mistakes that a schema cannot see: of one value beside another, or inside a text.
  private static let beyondSchema: Set<String> = [
    "invalid-address", "invalid-port", "invalid-host", "invalid-path", "address-in-use", "open-to-network",
    "contradicting-limits", "proxy-loop", "reserved-header", "duplicate-rule-name", "visitor-id-without-rule",
    "invalid-url", "taken-for-robot", "reserved-name", "feature-not-configured",
  ]

  private static func isBeyondSchema(_ code: String) -> Bool {
    beyondSchema.contains(code) || code.hasPrefix("prefix-") || code.hasPrefix("regex-")
  }

  /// Each key below the top as section and name, with its schema.
  static let leaves: [(section: String, key: String, schema: JSONValue)] = {
    (schema["properties"]?.members ?? []).flatMap { section in
      let object = section.value["properties"] ?? section.value["anyOf"]?.array?.first?["properties"]
      return (object?.members ?? []).map { (section.name, $0.name, $0.value) }
    }
  }()

  /// The key without which a section is wrong, with a value of it.
  private static let needed: [String: (String, JSONValue)] = [
    "visitorID": ("header", "x-other"), "ahoy": ("baseURL", "https://other.example"),
    "cohorly": ("apiHost", "https://other.example"),
  ]

  /// A document that says one thing.
  private static func document(_ section: String, _ key: String, _ value: JSONValue) -> JSONValue {
    var members = [JSONMember(key, value)]
    if let (name, example) = needed[section], key != name { members.insert(JSONMember(name, example), at: 0) }
    return [
      section: .object(members), "rules": [["match": ["prefix": "http://a.example/"]]],
    ]
  }

  private static func load(_ document: JSONValue) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(Array(JSONWriter.text(document).utf8), file: "f")
  }

  private static func check(_ document: JSONValue) {
    var interpreter = SchemaInterpreter()
    let isAccepted = interpreter.accepts(document, schema)
    let errors = load(document).issues.filter { $0.severity == .error }
    if isAccepted {
      let unseen = errors.filter { !isBeyondSchema($0.code.rawValue) }
      #expect(unseen.isEmpty, "the schema accepts \(JSONWriter.text(document))")
    } else {
      #expect(!errors.isEmpty, "the reader accepts \(JSONWriter.text(document))")
    }
    #expect(interpreter.unknownKeywords.isEmpty)
  }

  @Test func theShippedFileIsTheSchema() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = root.appendingPathComponent("Config/footfall.schema.json")
    if ProcessInfo.processInfo.environment["FOOTFALL_UPDATE_FIXTURES"] == "1" {
      try ConfigurationSchema.text.write(to: file, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == ConfigurationSchema.text)
  }

  @Test(arguments: ["ahoy.json", "cohorly.json", "footfall.json", "minimal.json", "server.json"])
  func theShippedExamplesAreValid(_ name: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let bytes = [UInt8](try Data(contentsOf: root.appendingPathComponent("Config/\(name)")))
    let loaded = ConfigurationLoader.forTests.load(bytes, file: name)
    #expect(loaded.issues.map(\.description) == [])
    Self.check(try JSONReader().value(bytes))
  }

  @Test func eachObjectIsClosedAndEachKeyDescribed() {
    func walk(_ schema: JSONValue, _ path: String) {
      if let properties = schema["properties"]?.members {
        #expect(schema["additionalProperties"] == false, "\(path)")
        for property in properties {
          let place = "\(path)/\(property.name)"
          #expect(property.value["description"]?.string?.isEmpty == false, "\(place)")
          let isObject = property.value["properties"] != nil
          #expect(isObject || property.value["examples"]?.array?.isEmpty == false, "\(place)")
          walk(property.value, place)
        }
      }
      for alternative in schema["anyOf"]?.array ?? [] { walk(alternative, path) }
      if let items = schema["items"] { walk(items, path) }
    }
    walk(Self.schema, "")
    #expect(Self.leaves.count >= 28)
  }

  @Test func defaultsOfTheSchemaAreThoseOfTheReader() throws {
    let plain = "\(try #require(Self.load(["rules": []]).configuration))"
    var sections: [JSONMember] = []
    for section in Self.schema["properties"]?.members ?? [] where Self.needed[section.name] == nil {
      let members = Self.leaves.filter { $0.section == section.name }.compactMap { leaf in
        leaf.schema["default"].map { JSONMember(leaf.key, $0) }
      }
      if !members.isEmpty { sections.append(JSONMember(section.name, .object(members))) }
    }
    #expect(sections.count >= 6)
    let written = Self.load(.object(sections + [JSONMember("rules", [])]))
    #expect(written.issues.isEmpty)
    #expect("\(try #require(written.configuration))" == plain)
  }

  @Test(arguments: leaves.map { "\($0.section).\($0.key)" })
  func eachKeyIsRead(_ name: String) throws {
    let leaf = try #require(Self.leaves.first { "\($0.section).\($0.key)" == name })
    let rules: JSONValue = [["match": ["prefix": "http://a.example/"]]]
    var sections: [JSONMember] = []
    if let (name, example) = Self.needed[leaf.section] {
      sections.append(JSONMember(leaf.section, .object([JSONMember(name, example)])))
    }
    let bare = JSONValue.object(sections + [JSONMember("rules", rules)])
    let plain = "\(try #require(Self.load(bare).configuration))"
    let read = try (leaf.schema["examples"]?.array ?? []).map { example in
      let loaded = Self.load(Self.document(leaf.section, leaf.key, example))
      #expect(loaded.issues.filter { $0.severity == .error && $0.code != .openToNetwork }.isEmpty)
      return "\(try #require(loaded.configuration))"
    }
    #expect(read.contains { $0 != plain }, "an example of each key changes the configuration")
  }

  @Test func verdictsAreTheSameForEachKeyAndValue() {
    let values: [JSONValue] = [
      nil, true, 0, -1, 1, 7, 1.5, 100, 4096, 65536, 1e300, -0.1, 10_000_000, .integer(1 << 54), 8192.0, "", "x", "-",
      "auto", "desktop", "server", "forward", "all", "info", "warn", "127.0.0.1:0", "[::1]:1", "1:1", "unix:", "unix:a",
      "~", "X-A", "x-a", "a b", [], ["x"], [nil], ["127.0.0.1:1"], ["127.0.0.1:1", "127.0.0.1:1"], .object([]),
      ["a": 1], ["prefix": "http://a.example/"], [["prefix": "http://a.example/"], ["regex": "^http://b/"]],
      ["prefix": "http://a.example/", "regex": "^http://b/"], [[:]], ["visitorID"], ["ahoy"], .string("a\u{0}"),
      "http://a.example/b", "https://[::1]:8", "a/b", "x (Linux)", ["utm_source": 1], ["X-Tenant": "a"], ["method"],
      ["baseURL": "http://127.0.0.1:1"], ["name": "a"], ["A b": "c"], ["a": []], ["events": 1],
      ["flag": "x"], ["flag": "x", "is": "true"], ["flag": "x", "fallback": "blue"], ["apiHost": "https://a.example"],
      ["env": "ci"], ["$lib": "x"], "networkFirst", 86_401,
    ]
    for value in values {
      for leaf in Self.leaves { Self.check(Self.document(leaf.section, leaf.key, value)) }
      for section in (Self.schema["properties"]?.members ?? []) + [JSONMember("nothing", nil)] {
        let rest: [JSONMember] = section.name == "rules" ? [] : [JSONMember("rules", [])]
        Self.check(.object([JSONMember(section.name, value)] + rest))
      }
      for key in ["name", "match", "inject", "record", "when"] {
        let rest: [JSONMember] = key == "match" ? [] : [JSONMember("match", ["prefix": "http://a.example/"])]
        Self.check(["rules": [.object([JSONMember(key, value)] + rest)]])
      }
      Self.check(["rules": [value]])
      Self.check(value)
    }
  }

  @Test func verdictsAreTheSameForTheGoldenFiles() throws {
    for file in GoldenFileTests.files {
      let text = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n----------\n")[0]
      let reading = JSONReader().read(Array(text.utf8))
      guard reading.issues.isEmpty, let root = reading.root else { continue }
      Self.check(root.value)
    }
  }
}
