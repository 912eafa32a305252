import Effects

/// Values that count more than those of the file: of the environment, and more yet, of the command line.
package struct ConfigurationOverrides: Sendable {
  /// What can be overridden.
  package enum Key: String, Sendable, CaseIterable {
    /// `proxy.listen`, addresses separated by commas.
    case listen = "FOOTFALL_LISTEN"
    /// `admin.listen`; `off` for no admin endpoint.
    case adminListen = "FOOTFALL_ADMIN_LISTEN"
    /// `log.level`.
    case logLevel = "FOOTFALL_LOG_LEVEL"
  }

  private var entries: [Key: (source: String, text: String)] = [:]

  /// No overrides.
  package init() {}

  /// The overrides of an environment; an empty variable is none.
  package init(environment: [String: String]) {
    for key in Key.allCases {
      if let text = environment[key.rawValue], !text.isEmpty { set(key, text, source: key.rawValue) }
    }
  }

  /// Sets one value.
  ///
  /// - Parameter source: What issues call the place it comes from, such as `--listen`.
  package mutating func set(_ key: Key, _ text: String, source: String) { entries[key] = (source, text) }

  /// Where a value comes from that is not the file's.
  func source(of pointer: JSONPointer) -> String? {
    Key.allCases.first { pointer.steps.starts(with: $0.pointer.steps) }.flatMap { entries[$0]?.source }
  }

  /// The admin endpoint that is named here, nil for `off`; nil without both when the configuration names it.
  ///
  /// This needs no configuration, so that a running proxy can be asked whatever has become of its file.
  package func adminEndpoint() -> (address: AdminAddress?, issues: [ConfigurationIssue])? {
    guard entries[.adminListen] != nil else { return nil }
    var own = ConfigurationOverrides()
    own.entries[.adminListen] = entries[.adminListen]
    var document = ConfigurationDocument()
    var context = ReadingContext(file: "")
    own.apply(to: &document, &context)
    return (document.admin.listen, context.issues)
  }

  /// Puts the values in the place of the file's.
  func apply(to document: inout ConfigurationDocument, _ context: inout ReadingContext) {
    for key in Key.allCases {
      guard let (source, text) = entries[key] else { continue }
      // Relative paths in overrides are seen from the working directory.
      var own = ReadingContext(file: source, isOverride: true)
      own.pointer = key.pointer
      switch key {
      case .listen:
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { JSONNode($0) }
        let node = JSONNode(kind: .array(parts), position: .start)
        let kind = ValueKind<[Endpoint]>.list(.listenAddress, 1...64, of: "addresses")
        if let value = kind.read(node, &own) { document.proxy.listen = value }
      case .adminListen:
        let node = text == "off" ? JSONNode(kind: .null, position: .start) : JSONNode(text[...])
        if let value = ValueKind<AdminAddress?>.orNull(.adminAddress).read(node, &own) { document.admin.listen = value }
      case .logLevel:
        if let value = ValueKind<Configuration.Log.Level>.logLevel.read(JSONNode(text[...]), &own) {
          document.log.level = value
        }
      }
      context.issues += own.issues
    }
  }
}

extension ConfigurationOverrides.Key {
  /// The value that is overridden.
  fileprivate var pointer: JSONPointer {
    switch self {
    case .listen: JSONPointer([.name("proxy"), .name("listen")])
    case .adminListen: JSONPointer([.name("admin"), .name("listen")])
    case .logLevel: JSONPointer([.name("log"), .name("level")])
    }
  }
}

extension JSONNode {
  /// A string that was written elsewhere than in JSON; blanks around it do not count.
  fileprivate init(_ text: Substring) {
    var text = text
    while text.utf8.first == 0x20 { text.removeFirst() }
    while text.utf8.last == 0x20 { text.removeLast() }
    self.init(kind: .string(String(text)), position: .start)
  }
}
