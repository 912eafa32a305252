package import Effects

/// Which visit it is, and whose.
package struct VisitTokens: Sendable, Hashable {
  package var visit: String
  package var visitor: String

  package init(visit: String, visitor: String) {
    self.visit = visit
    self.visitor = visitor
  }

  /// Names of the fields that carry the tokens, also into a page of the site.
  package static let visitField = "Ahoy-Visit"
  package static let visitorField = "Ahoy-Visitor"

  /// Whether the server would keep both as they are.
  package var areValid: Bool { TokenSyntax.isToken(visit) && TokenSyntax.isToken(visitor) }

  /// The fields that make a request one of this visit. They replace all fields of these names.
  package var fields: [OutboundField] {
    [OutboundField(Self.visitField, visit), OutboundField(Self.visitorField, visitor)]
  }
}
