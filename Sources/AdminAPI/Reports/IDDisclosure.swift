/// How much of an identifier an answer shows.
package enum IDDisclosure: String, Sendable, CaseIterable {
  /// The first eight characters, of a short id half of them, and an ellipsis: enough to compare, too little to use.
  case masked
  case full

  /// The identifier as this disclosure shows it.
  package func text(_ id: String) -> String {
    switch self {
    case .masked: id.prefix(min(8, id.count / 2)) + "…"
    case .full: id
    }
  }
}
