package import Effects

/// The body of `POST visits` (contract, section 2.1): the tokens and what is told of the visit.
package struct VisitRegistration: Sendable, Hashable {
  package let tokens: VisitTokens
  /// The other members, sorted by name.
  package let fields: [JSONMember]

  package init(tokens: VisitTokens, fields: [JSONMember]) {
    self.tokens = tokens
    self.fields = VisitFields.normalized(fields)
  }

  /// The registration of a visit that is kept.
  package init(_ record: VisitRecord) { self.init(tokens: record.tokens, fields: record.fields) }

  /// The same visit with nothing but what names the program, for a server to which the rest was too large.
  package var withoutParameters: VisitRegistration {
    let kept: Set<String> = ["platform", "app_version", "os_version"]
    return VisitRegistration(tokens: tokens, fields: fields.filter { kept.contains($0.name) })
  }

  /// The JSON text, keys in ascending order.
  package var body: [UInt8] {
    let all =
      fields + [
        JSONMember("visit_token", .string(tokens.visit)), JSONMember("visitor_token", .string(tokens.visitor)),
      ]
    var writer = JSONWriter()
    writer.write(.object(VisitFields.sorted(all)))
    return writer.bytes
  }
}
