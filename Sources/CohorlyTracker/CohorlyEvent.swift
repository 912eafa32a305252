package import Effects

/// Something that happened, and whose it is.
package struct CohorlyEvent: Sendable, Hashable {
  /// What happened.
  package var name: String
  /// What the server recognises a repetition by.
  package var insertID: String
  package var timeMilliseconds: Int64
  /// Of the moment in which it happened.
  package var identity: CohorlyIdentity
  /// What a client tells of itself: `$lib` and whatever begins with it, the system.
  package var automatic: [JSONMember]
  /// What was registered for all events.
  package var superProperties: [JSONMember]
  /// What was said of this one.
  package var properties: [JSONMember]

  package init(
    name: String, insertID: String, timeMilliseconds: Int64, identity: CohorlyIdentity, automatic: [JSONMember] = [],
    superProperties: [JSONMember] = [], properties: [JSONMember] = []
  ) {
    self.name = name
    self.insertID = insertID
    self.timeMilliseconds = timeMilliseconds
    self.identity = identity
    self.automatic = automatic
    self.superProperties = superProperties
    self.properties = properties
  }

  /// Properties that nobody else may set (contract, section 2.4). The token is added when the record is sent.
  package static let reserved: Set<String> = ["distinct_id", "time", "$insert_id", "$lib", "token"]

  /// The record as it is sent: the reserved properties, those of identity and client, then all others in ascending order
  /// of their names' bytes.
  ///
  /// Of a name that several sources have, what was said of this event counts, then the registered, then what is known
  /// anyway. Reserved ones are the client's.
  package var record: CohorlyRecord {
    var own = [
      JSONMember("distinct_id", .string(identity.distinctID)), JSONMember("time", .integer(timeMilliseconds)),
      JSONMember("$insert_id", .string(insertID)), JSONMember("$device_id", .string(identity.deviceID)),
    ]
    if let user = identity.userID { own.append(JSONMember("$user_id", .string(user))) }
    own += automatic
    var said: [String: JSONValue] = [:]
    for member in superProperties + properties where !Self.reserved.contains(member.name) {
      said[member.name] = member.value
    }
    for index in own.indices {
      if let value = said.removeValue(forKey: own[index].name) { own[index].value = value }
    }
    let others = said.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return CohorlyRecord(
      path: .track,
      body: [
        JSONMember("event", .string(name)),
        JSONMember("properties", .object(own + others.map { JSONMember($0.key, $0.value) })),
      ])
  }
}
