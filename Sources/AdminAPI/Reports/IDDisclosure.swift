/// How much of an identifier an answer shows.
package enum IDDisclosure: String, Sendable, CaseIterable {
  /// The first eight characters and an ellipsis: enough to compare, too little to use.
  case masked
  case full

  /// The identifier as this disclosure shows it.
  package func text(_ id: String) -> String {
    switch self {
    case .masked: id.prefix(8) + "…"
    case .full: id
    }
  }
}
