import Effects

/// Whose events and flags they are (contract cohorly.md, sections 2.2 and 2.3).
package struct CohorlyIdentity: Sendable, Hashable {
  /// Where the identity lies in a `KeyValueStore`.
  package static let key = "cohorly-identity"

  /// The user's id once there is one, else the device's.
  package let distinctID: String
  /// The same through all users of the device, until a reset.
  package let deviceID: String
  /// Nobody has said who it is.
  package let isAnonymous: Bool

  /// Somebody unknown, on a device that is new.
  ///
  /// - Parameter uuid: A random UUID in lower case.
  package init(anonymous uuid: String) {
    distinctID = uuid
    deviceID = uuid
    isAnonymous = true
  }

  private init(distinctID: String, deviceID: String, isAnonymous: Bool) {
    self.distinctID = distinctID
    self.deviceID = deviceID
    self.isAnonymous = isAnonymous
  }

  /// What events call `$user_id`: nil while nobody is known.
  package var userID: String? { isAnonymous ? nil : distinctID }

  /// What comes of saying who it is.
  package struct Identification: Sendable, Hashable {
    package let identity: CohorlyIdentity
    /// The step from unknown to known, which the server is told once.
    package let alias: CohorlyAlias?
  }

  /// The identity of a user on this device; nil when that changes nothing, and for an empty id.
  package func identified(as id: String) -> Identification? {
    // By bytes, as the server compares; `String` takes canonical equivalents for equal.
    guard !id.isEmpty, !id.utf8.elementsEqual(distinctID.utf8) else { return nil }
    return Identification(
      identity: CohorlyIdentity(distinctID: id, deviceID: deviceID, isAnonymous: false),
      alias: isAnonymous ? CohorlyAlias(alias: distinctID, distinctID: id) : nil)
  }

  /// Reads a stored identity; nil for what cannot be one, which begins anew.
  ///
  /// A distinct id alone is that of somebody unknown, as the clients of the family take it. A known user without a device
  /// gets one.
  package init?(stored bytes: [UInt8], mint: () -> String) {
    let value: JSONValue
    do { value = try JSONReader().value(bytes) } catch { return nil }
    guard let distinct = value["distinct"]?.string, !distinct.isEmpty else { return nil }
    let isAnonymous: Bool
    switch value["anonymous"] {
    case nil: isAnonymous = true
    case .bool(let truth): isAnonymous = truth
    default: return nil
    }
    let device: String
    switch value["device"] {
    case nil: device = isAnonymous ? distinct : mint()
    case .string(let id) where !id.isEmpty: device = id
    default: return nil
    }
    self.init(distinctID: distinct, deviceID: device, isAnonymous: isAnonymous)
  }

  /// The stored form.
  package var bytes: [UInt8] {
    var writer = JSONWriter()
    writer.write([
      "v": 1, "distinct": .string(distinctID), "device": .string(deviceID), "anonymous": .bool(isAnonymous),
    ])
    return writer.bytes
  }
}

/// Two ids of the same person (contract, section 1.3): told once, at the step from unknown to known.
package struct CohorlyAlias: Sendable, Hashable {
  /// The old id, of somebody unknown.
  package let alias: String
  /// The new one, of somebody known.
  package let distinctID: String

  package init(alias: String, distinctID: String) {
    self.alias = alias
    self.distinctID = distinctID
  }

  /// The record that tells it.
  package var record: CohorlyRecord {
    CohorlyRecord(
      path: .alias, body: [JSONMember("alias", .string(alias)), JSONMember("distinct_id", .string(distinctID))])
  }
}
