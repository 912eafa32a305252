public import Effects
import Foundation

/// One request as the server saw it.
public struct SeenRequest: Sendable {
  /// The target.
  public let path: String
  /// By name in lower case.
  public let fields: [String: String]
  /// The content.
  public let body: String

  /// Takes apart what a ``ScriptedOrigin`` has read.
  public init(_ text: String) {
    let parts = text.components(separatedBy: "\r\n\r\n")
    let lines = parts[0].components(separatedBy: "\r\n")
    path = lines[0].components(separatedBy: " ")[1]
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      // A field that comes twice shows as one text with a comma.
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      fields[name] = fields[name].map { "\($0), \(value)" } ?? value
    }
    self.fields = fields
    body = parts.dropFirst().joined(separator: "\r\n\r\n")
  }

  /// The body.
  public var json: JSONValue { get throws { try JSONReader().value(body) } }
}
