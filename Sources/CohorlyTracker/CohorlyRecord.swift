package import Effects

/// One thing that a server is told, finished but for the token: what is sent is the same at every try.
package struct CohorlyRecord: Sendable, Hashable {
  /// Where it goes.
  package enum Path: String, Sendable, CaseIterable {
    /// Events.
    case track
    /// Changes of profiles.
    case engage
    /// Two ids of the same person.
    case alias
  }

  package var path: Path
  /// The members of the JSON object, in the order in which they are sent.
  package var body: [JSONMember]

  package init(path: Path, body: [JSONMember]) {
    self.path = path
    self.body = body
  }

  /// The JSON object that is sent.
  ///
  /// - Parameter token: The project's, among an event's properties, else beside the other members; nil leaves it out.
  package func json(token: String?) -> [UInt8] {
    var members = body
    if let token {
      let own = JSONMember("token", .string(token))
      let properties = members.firstIndex { $0.name == "properties" }
      if path == .track, let properties, let inner = members[properties].value.members {
        members[properties].value = .object(inner.filter { $0.name != own.name } + [own])
      } else {
        members = members.filter { $0.name != own.name } + [own]
      }
    }
    var writer = JSONWriter()
    writer.write(.object(members))
    return writer.bytes
  }

  // MARK: In the queue

  /// What stored records have as `kind`.
  package static let kind = "cohorly"

  /// The record as it is stored beside other events, one line of JSON.
  ///
  /// - Parameters:
  ///   - id: Its id for life; of an event, the `$insert_id`.
  ///   - timeMilliseconds: When it happened, since the epoch.
  package func stored(id: String, timeMilliseconds: Int64) -> [UInt8] {
    var writer = JSONWriter()
    writer.write([
      "event": .string(title), "kind": .string(Self.kind), "id": .string(id),
      "time": .string(Timestamp.text(millisecondsSinceEpoch: timeMilliseconds)),
      "record": ["path": .string(path.rawValue), "body": .object(body)],
    ])
    return writer.bytes
  }

  /// Reads a stored event; nil when it is of another kind.
  ///
  /// - Throws: What is wrong with a record that should be one.
  package init?(stored value: JSONValue) throws(Unreadable) {
    guard value["kind"] == .string(Self.kind) else { return nil }
    guard let path = value["record"]?["path"]?.string.flatMap(Path.init(rawValue:)) else {
      throw Unreadable(reason: "its record has no path that is known")
    }
    guard let body = value["record"]?["body"]?.members, !body.isEmpty else {
      throw Unreadable(reason: "its record has no body")
    }
    self.init(path: path, body: body)
  }

  /// A stored record is not what this program writes.
  package struct Unreadable: Error, Sendable, Hashable {
    package let reason: String
  }

  /// What lists of events show: the name of an event, else what is done.
  package var title: String {
    switch path {
    case .track: body.first { $0.name == "event" }?.value.string ?? "$track"
    case .engage: "$engage"
    case .alias: "$alias"
    }
  }
}
