import Effects

/// Flags as they are kept between runs (contract cohorly.md, section 3.1).
package struct FlagCache: Sendable, Hashable {
  /// Where the cache lies in a `KeyValueStore`.
  package static let storedKey = "cohorly-flags"

  /// Whose flags they are.
  let distinctID: String
  let evaluated: EvaluatedFlags
  /// When they came, in milliseconds since the epoch; nil in caches from before there was a time in them, whose age
  /// nobody knows.
  let storedAt: Int64?

  init(distinctID: String, evaluated: EvaluatedFlags, storedAt: Int64?) {
    self.distinctID = distinctID
    self.evaluated = evaluated
    self.storedAt = storedAt
  }

  /// Reads what was stored; nil for anything that is not a cache.
  init?(stored bytes: [UInt8]) {
    do {
      let value = try JSONReader().value(bytes)
      guard let distinctID = value["distinct_id"]?.string else { return nil }
      switch value["stored_at"] {
      case .integer(let milliseconds): storedAt = milliseconds
      case nil: storedAt = nil
      default: return nil
      }
      self.distinctID = distinctID
      evaluated = try EvaluatedFlags(value["flags"])
    } catch { return nil }
  }

  /// The stored form.
  var bytes: [UInt8] {
    var members = [
      JSONMember("distinct_id", .string(distinctID)), JSONMember("flags", .object(evaluated.received)),
    ]
    if let storedAt { members.append(JSONMember("stored_at", .integer(storedAt))) }
    var writer = JSONWriter()
    writer.write(.object(members))
    return writer.bytes
  }

  /// Whether they are the flags of that identity: ids are compared as the server does, by their bytes.
  func belongs(to distinctID: String) -> Bool { self.distinctID.utf8.elementsEqual(distinctID.utf8) }
}
