/// A value of any type. It goes through the encoder again, so that its strategies apply to a date or a dictionary.
package struct AnyEncodable: Encodable {
  private let value: any Encodable & Sendable

  package init(_ value: any Encodable & Sendable) { self.value = value }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
