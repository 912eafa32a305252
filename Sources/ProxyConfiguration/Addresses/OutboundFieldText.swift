import Effects
import VisitorID

/// The text of a field's value.
enum FieldValueText {
  /// Whether it is visible ASCII characters, with blanks between them at most.
  static func isValue(_ text: String, atMost most: Int) -> Bool {
    let bytes = text.utf8
    return (1...most).contains(bytes.count) && bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f } && bytes.first != 0x20
      && bytes.last != 0x20
  }
}

/// A secret that is sent in a field, and never shows in a text.
package struct SecretFieldValue: Sendable, Hashable, CustomStringConvertible {
  /// As it is sent.
  package let field: String

  /// The value that a file of one line holds; nil when it holds something else.
  init?(file content: [UInt8]) {
    var line = content[...]
    if line.last == 0x0a { line.removeLast() }
    if line.last == 0x0d { line.removeLast() }
    let text = String(decoding: line, as: UTF8.self)
    guard FieldValueText.isValue(text, atMost: 4096) else { return nil }
    field = text
  }

  /// The token that a file of one line holds: a single word.
  init?(tokenFile content: [UInt8]) {
    self.init(file: content)
    guard field.utf8.count <= 255, !field.utf8.contains(0x20) else { return nil }
  }

  package var description: String { "(secret)" }
}

extension ValueKind where Value == [OutboundField] {
  /// An object of field names and values.
  ///
  /// - Parameters:
  ///   - own: The fields in lower case that the backend's client sets itself, with the way to change them.
  ///   - secrets: Where a secret belongs instead.
  static func outboundFields(own: [String: String], secrets: String) -> Self {
    let value: JSONValue = ["type": "string", "pattern": "^[!-~]([ -~]{0,1022}[!-~])?$"]
    let schema: [JSONMember] = [
      JSONMember("type", "object"), JSONMember("additionalProperties", value),
      JSONMember("propertyNames", ["pattern": "^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$"]),
      JSONMember("maxProperties", 16),
    ]
    return Self(schema: schema) { node, context in
      guard case .object(let members) = node.kind else {
        context.reportType(node, expected: "an object of names and values", hint: "such as {\"X-Tenant\": \"north\"}")
        return nil
      }
      guard members.count <= 16 else {
        context.report(.listLength, at: node.position, "the object has \(members.count) members", hint: "at most 16")
        return nil
      }
      let fields = members.compactMap { member in
        context.descend(.name(member.name)) { field(member, own, secrets, &$0) }
      }
      return fields.count == members.count ? fields : nil
    } write: { fields in
      .object(fields.map { JSONMember($0.name, .string($0.value)) })
    }
  }

  private static func field(
    _ member: JSONNode.Member, _ own: [String: String], _ secrets: String, _ context: inout ReadingContext
  ) -> OutboundField? {
    let name = member.name.lowercased()
    if let hint = own[name] {
      context.report(.reservedHeader, at: member.namePosition, "\(member.name.quoted) is not for this list", hint: hint)
      return nil
    }
    switch HeaderNameFault.check(name) {
    case nil: break
    case .reserved(category: "authentication"):
      context.report(
        .reservedHeader, at: member.namePosition, "\(member.name.quoted) holds a secret",
        hint: secrets)
      return nil
    case .reserved(let category):
      context.report(.reservedHeader, at: member.namePosition, "\(member.name.quoted) is reserved (\(category))")
      return nil
    case .reservedPart(let part):
      context.report(
        .reservedHeader, at: member.namePosition, "names that contain \"\(part)\" are reserved",
        hint: "secrets do not belong in this file: \(secrets)")
      return nil
    case .empty, .notLowercase, .notToken, .outsidePolicy:
      context.report(
        .invalidHeader, at: member.namePosition, "\(member.name.quoted) is not a header name",
        hint: "up to \(HeaderNameFault.longestName) letters, digits and \"-\"")
      return nil
    }
    guard case .string(let value) = member.node.kind else {
      context.reportType(member.node, expected: "a string")
      return nil
    }
    guard FieldValueText.isValue(value, atMost: 1024) else {
      context.report(
        .invalidText, at: member.node.position, "the value is not 1 to 1024 ASCII characters without blanks at the ends"
      )
      return nil
    }
    return OutboundField(member.name, value)
  }
}
