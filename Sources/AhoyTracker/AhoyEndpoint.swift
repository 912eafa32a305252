package import Effects

/// Where an Ahoy server takes visits and events, and how it is spoken to.
package struct AhoyEndpoint: Sendable, Hashable {
  /// Kept by every version of the server's list of bots (contract, section 3.6).
  package static let defaultUserAgent = "AhoySwift/1.0 (X11; Linux x86_64)"
  package static let contentType = "application/json; charset=utf-8"

  package let visitsURL: String
  package let eventsURL: String
  package let userAgent: String
  /// Added to every request, such as `Authorization`; never one of those that the endpoint sets itself.
  package let fields: [OutboundField]
  package let timeoutMilliseconds: Int

  /// - Parameters:
  ///   - baseURL: The site, with a path if it lies below one; a slash at its end does not matter.
  ///   - path: Where the site has mounted Ahoy.
  package init(
    baseURL: String, path: String = "ahoy", visits: String = "visits", events: String = "events",
    userAgent: String = AhoyEndpoint.defaultUserAgent, fields: [OutboundField] = [], timeoutMilliseconds: Int = 30_000
  ) {
    visitsURL = Self.joined([baseURL, path, visits])
    eventsURL = Self.joined([baseURL, path, events])
    let root = Self.joined([baseURL, path])
    // Mounted at the site's root, all of the site would be the API.
    apiPrefixes = root == Self.joined([baseURL]) ? [visitsURL, eventsURL] : [root + "/"]
    self.userAgent = userAgent
    let own: Set<String> = [
      "content-type", "user-agent", "accept", "ahoy-visit", "ahoy-visitor", "ahoy_visit", "ahoy_visitor",
    ]
    self.fields = fields.filter { !own.contains($0.name.lowercased()) }
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// What the URLs of the API begin with. Nothing must be injected there: the fields would count more than the tokens that
  /// a browser sends in its own visit, which then is never made (contract, fact 9).
  package let apiPrefixes: [String]

  /// The request that registers a visit.
  package func request(_ registration: VisitRegistration) -> OutboundRequest {
    request(visitsURL, registration.tokens, registration.body)
  }

  /// The request that delivers events.
  package func request(_ events: EventsRequest) -> OutboundRequest { request(eventsURL, events.tokens, events.body) }

  /// The tokens of the fields count more than those of the body, so that they are the same ones.
  private func request(_ url: String, _ tokens: VisitTokens, _ body: [UInt8]) -> OutboundRequest {
    OutboundRequest(
      url: url,
      fields: [
        OutboundField("Content-Type", Self.contentType), OutboundField("Accept", "application/json"),
        OutboundField("User-Agent", userAgent),
      ] + tokens.fields + fields,
      body: body, timeoutMilliseconds: timeoutMilliseconds)
  }

  private static func joined(_ parts: [String]) -> String {
    var result = parts.first ?? ""
    while result.hasSuffix("/") { result.removeLast() }
    for part in parts.dropFirst() {
      let name = part.split(separator: "/", omittingEmptySubsequences: true).joined(separator: "/")
      if !name.isEmpty { result += "/\(name)" }
    }
    return result
  }
}
