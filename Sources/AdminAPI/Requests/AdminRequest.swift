/// One request to the admin endpoint, complete and framed by whoever read it.
package struct AdminRequest: Sendable {
  /// One field line: the name in lower case, the value without the white space around it.
  package struct Field: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name.lowercased()
      self.value = value
    }
  }

  /// The method token as received; methods are case-sensitive (RFC 9110, section 9.1).
  package var method: String
  /// The path as received, percent-encoding kept.
  package var path: String
  /// What follows the first `?`, or nil when there is none.
  package var query: String?
  /// The authority of an absolute-form target (RFC 9112, section 3.2.2), or nil for origin-form.
  package var targetAuthority: String?
  package var fields: [Field]
  package var body: [UInt8]

  /// A request for an origin-form or absolute-form target.
  package init(method: String, target: String, fields: [Field] = [], body: [UInt8] = []) {
    self.method = method
    self.fields = fields
    self.body = body
    var rest = target[...]
    let scheme = "http://"
    if target.prefix(scheme.utf8.count).lowercased() == scheme {
      let afterScheme = target.dropFirst(scheme.utf8.count)
      let end = afterScheme.firstIndex { $0 == "/" || $0 == "?" } ?? afterScheme.endIndex
      targetAuthority = String(afterScheme[..<end])
      rest = afterScheme[end...]
    }
    if let mark = rest.firstIndex(of: "?") {
      path = String(rest[..<mark])
      query = String(rest[rest.index(after: mark)...])
    } else {
      path = String(rest)
    }
    if path.isEmpty { path = "/" }
  }

  /// The values of all field lines with that name (in lower case), in order.
  package func values(of name: String) -> [String] {
    fields.filter { $0.name == name }.map(\.value)
  }
}
