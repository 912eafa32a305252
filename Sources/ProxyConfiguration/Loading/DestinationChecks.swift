import Effects

/// Whether the lists of destinations leave each other something to say.
enum DestinationChecks {
  static func run(_ document: ConfigurationDocument, _ source: ConfigurationSource, _ context: inout ReadingContext) {
    let deny = JSONPointer([.name("access"), .name("destinations"), .name("deny")])
    for (index, network) in document.access.destinations.deny.enumerated() {
      guard
        let wider = document.access.destinations.allow.first(where: {
          $0.prefixLength <= network.prefixLength && $0.contains(network.address)
        })
      else { continue }
      context.report(
        .contradictingLists, at: source.place(deny.appending(index)), "\(network) is allowed by \(wider), which wins",
        hint: "remove it, or allow less", severity: .warning)
    }
  }
}
