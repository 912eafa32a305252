package import Effects

/// A visit, as `POST /visit` answers it.
package struct VisitReport: Sendable, Hashable {
  /// The visit's token, in full; the rendering masks it.
  package var visitToken: String
  /// The visitor's token, in full; the rendering masks it.
  package var visitorToken: String
  /// The backend has confirmed it.
  package var isRegistered: Bool
  /// When the visit began, milliseconds since the epoch.
  package var createdAt: Int64
  /// When it ends.
  package var expiresAt: Int64

  package init(visitToken: String, visitorToken: String, isRegistered: Bool, createdAt: Int64, expiresAt: Int64) {
    self.visitToken = visitToken
    self.visitorToken = visitorToken
    self.isRegistered = isRegistered
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }

  package func json(ids: IDDisclosure) -> JSONValue {
    .object([
      JSONMember("visit", .string(ids.text(visitToken))), JSONMember("visitor", .string(ids.text(visitorToken))),
      JSONMember("registered", .bool(isRegistered)),
      JSONMember("createdAt", .string(Timestamp.text(millisecondsSinceEpoch: createdAt))),
      JSONMember("expiresAt", .string(Timestamp.text(millisecondsSinceEpoch: expiresAt))),
    ])
  }
}
