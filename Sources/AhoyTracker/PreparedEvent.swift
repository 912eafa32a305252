package import Effects

/// An event as it travels inside of a request, written once: its text counts against the limits of the server.
package struct PreparedEvent: Sendable, Hashable {
  /// The JSON object, keys in ascending order.
  package let json: [UInt8]

  /// An event whose properties are JSON text already.
  ///
  /// - Parameters:
  ///   - id: What the server recognises a repetition by, where it has the column; nil leaves it out.
  ///   - properties: The text of a JSON object.
  ///   - time: As ``time(wholeSecondsOf:)`` or `Timestamp.text` writes it. The server believes it only within the last
  ///     minute; a time that counts belongs into the properties, too.
  ///   - userID: Told to the server, which ignores it unless the site reads it itself.
  package init(id: String?, name: String, propertiesJSON properties: [UInt8], time: String, userID: String? = nil) {
    var writer = JSONWriter()
    var bytes: [UInt8] = []
    func member(_ name: StaticString, _ value: String) {
      bytes.append(contentsOf: name.description.utf8)
      writer.write(string: value)
      bytes.append(contentsOf: writer.bytes)
      writer = JSONWriter()
    }
    bytes.append(UInt8(ascii: "{"))
    if let id {
      member(#""id":"#, id)
      bytes.append(UInt8(ascii: ","))
    }
    member(#""name":"#, PortableText.name(name))
    bytes.append(contentsOf: #","properties":"#.utf8)
    bytes.append(contentsOf: PortableText.json(properties))
    member(#","time":"#, time)
    if let userID { member(#","user_id":"#, userID) }
    bytes.append(UInt8(ascii: "}"))
    json = bytes
  }

  /// An event with a time in milliseconds.
  package init(
    id: String?, name: String, properties: [JSONMember], timeMilliseconds: Int64, userID: String? = nil
  ) {
    var writer = JSONWriter()
    writer.write(.object(properties))
    self.init(
      id: id, name: name, propertiesJSON: writer.bytes,
      time: Timestamp.text(millisecondsSinceEpoch: timeMilliseconds), userID: userID)
  }

  /// A moment as ISO 8601 without a fraction: `1970-01-01T00:00:00Z`. Cut, not rounded: a moment of the future would not
  /// be believed.
  package static func time(wholeSecondsOf milliseconds: Int64) -> String {
    Timestamp.text(millisecondsSinceEpoch: milliseconds).prefix(19) + "Z"
  }
}
