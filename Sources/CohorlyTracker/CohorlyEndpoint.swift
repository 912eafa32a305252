package import Effects

/// Where a Cohorly server is, and how it is spoken to (contract, sections 1 and 1.1).
package struct CohorlyEndpoint: Sendable, Hashable {
  /// Where the clients of the family send by default.
  package static let defaultHost = "https://cohorly-service.velloalabs.com"
  static let tokenField = "X-Cohorly-Token"

  /// Without a slash at its end.
  package let apiHost: String
  /// The project's; nil when none is used, and then none is sent, not even an empty one.
  package let token: String?
  /// Added to every request; never one of those that the endpoint sets itself.
  package let fields: [OutboundField]
  package let timeoutMilliseconds: Int

  /// - Parameter apiHost: With a path if the API lies below one; slashes at its end do not matter.
  package init(
    apiHost: String = CohorlyEndpoint.defaultHost, token: String? = nil, fields: [OutboundField] = [],
    timeoutMilliseconds: Int = 30_000
  ) {
    var host = apiHost
    while host.hasSuffix("/") { host.removeLast() }
    self.apiHost = host
    self.token = token
    // What is never compressed must not say that it is.
    let own: Set<String> = ["content-type", "content-encoding", "accept", "x-cohorly-token"]
    self.fields = fields.filter { !own.contains($0.name.lowercased()) }
    self.timeoutMilliseconds = timeoutMilliseconds
  }

  /// The request that asks for the flags of an identity; its body is that of the evaluation.
  package func evaluation(_ body: [UInt8]) -> OutboundRequest { request("flags/evaluate", body) }

  /// The request that delivers records of one path, written by ``CohorlyRecord/json(token:)``: an alias alone, others as
  /// an array.
  package func request(_ path: CohorlyRecord.Path, records: [[UInt8]]) -> OutboundRequest {
    guard path != .alias else { return request(path.rawValue, records.first ?? []) }
    var body: [UInt8] = [UInt8(ascii: "[")]
    body.reserveCapacity(records.reduce(2) { $0 &+ $1.count &+ 1 })
    for (index, record) in records.enumerated() {
      if index > 0 { body.append(UInt8(ascii: ",")) }
      body.append(contentsOf: record)
    }
    body.append(UInt8(ascii: "]"))
    return request(path.rawValue, body)
  }

  private func request(_ path: String, _ body: [UInt8]) -> OutboundRequest {
    var own = [OutboundField("Content-Type", "application/json"), OutboundField("Accept", "application/json")]
    if let token { own.append(OutboundField(Self.tokenField, token)) }
    return OutboundRequest(
      url: "\(apiHost)/\(path)", fields: own + fields, body: body, timeoutMilliseconds: timeoutMilliseconds)
  }
}
