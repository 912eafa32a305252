import Effects

/// The text that a configuration was read from, for issues that are found after reading.
struct ConfigurationSource {
  let file: String
  let bytes: [UInt8]
  let root: JSONNode
  let overrides: ConfigurationOverrides

  /// Where the value is written, or the nearest container of a value that is not.
  func place(_ pointer: JSONPointer) -> SourcePlace {
    if let name = overrides.source(of: pointer) { return SourcePlace(file: name, pointer: pointer, isOverride: true) }
    var node = root
    for step in pointer.steps {
      switch (step, node.kind) {
      case (.name(let name), _):
        guard let member = node.member(name) else {
          return SourcePlace(file: file, position: node.position, pointer: pointer)
        }
        node = member.node
      case (.index(let index), .array(let elements)):
        guard index >= 0, index < elements.count else { break }
        node = elements[index]
      default: break
      }
    }
    return SourcePlace(file: file, position: node.position, pointer: pointer)
  }

  /// Whether something other than null is written under a key of the document.
  func holds(_ name: String) -> Bool {
    guard let member = root.member(name) else { return false }
    if case .null = member.node.kind { return false }
    return true
  }
}
