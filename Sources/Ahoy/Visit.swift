/// A visit that the server has confirmed.
public struct Visit: Sendable {
  /// Who visits.
  public let visitorToken: String
  /// Which visit it is.
  public let visitToken: String
  /// The user who was attached when the visit was registered.
  public let userId: String?
  /// What was told of the visit beside its tokens and the environment; nil when nothing was.
  public let additionalParams: [String: any Encodable & Sendable]?
}
