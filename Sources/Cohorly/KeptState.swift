import CohorlyTracker
import Effects

/// What an earlier run has kept beside flags and queue.
struct KeptState {
  static let superPropertiesKey = "cohorly-super-properties"

  private(set) var identity: CohorlyIdentity
  private(set) var superProperties: [String: JSONValue] = [:]
  /// Why the storage could not be used; nil when it could.
  private(set) var storageError: String?

  /// Reads what is kept. An identity that is not there, or is none, is made and kept.
  init(_ storage: (any CohorlyStorage)?, tokens: any TokenSource) {
    identity = CohorlyIdentity(anonymous: tokens.uuidVersion4())
    guard let storage else { return }
    do {
      let text: String?
      do { text = try storage.string(forKey: CohorlyIdentity.key) } catch let error as StoreError
        where error.code == .corrupt
      {
        // What can never be read again may be written over.
        text = nil
      }
      let kept = text.flatMap { CohorlyIdentity(stored: Array($0.utf8), mint: { tokens.uuidVersion4() }) }
      if let kept { identity = kept }
      // Also one of an older form, which had no device.
      let current = Self.text(identity)
      if text != current { try storage.set(current, forKey: CohorlyIdentity.key) }
      if let text = try storage.string(forKey: Self.superPropertiesKey) {
        superProperties = Self.superProperties(text)
      }
    } catch {
      // One that could not be read may be there all the same: it is not written over before somebody says who it is.
      storageError = "what an earlier run has kept cannot be read: \(error)"
    }
  }

  static func text(_ identity: CohorlyIdentity) -> String { String(decoding: identity.bytes, as: UTF8.self) }

  static func text(_ superProperties: [String: JSONValue]) -> String {
    let members = superProperties.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return JSONWriter.text(.object(members.map { JSONMember($0.key, $0.value) }))
  }

  /// None for a text that is no object.
  private static func superProperties(_ text: String) -> [String: JSONValue] {
    let value: JSONValue
    do { value = try JSONReader().value(text) } catch { return [:] }
    return Dictionary((value.members ?? []).map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
  }
}
