import Effects

/// Whether the lists of destinations leave each other something to say.
enum DestinationChecks {
  static func run(_ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext) {
    let deny = JSONPointer([.name("access"), .name("destinations"), .name("deny")])
    let allow = Set(document.access.destinations.allow)
    for (index, network) in document.access.destinations.deny.enumerated() {
      // A network has few that hold it, one for each shorter prefix.
      let wider = (0...network.prefixLength).lazy.compactMap { IPNetwork(network.address, prefixLength: $0) }
        .first(where: allow.contains)
      guard let wider else { continue }
      context.report(
        .contradictingLists, at: source.place(deny.appending(index)), "\(network) is allowed by \(wider), which wins",
        hint: "remove it, or allow less", severity: .warning)
    }
  }
}
