package import Effects

/// Someone was shown a value of a flag: the event `$feature_flag_called` (contract cohorly.md, section 3.5).
package struct FlagExposure: Sendable, Hashable {
  /// The name of the event.
  package static let event = "$feature_flag_called"

  package let key: String
  package let value: FlagValue
  /// Never `fallback`.
  package let source: FlagSource
  /// As in ``FlagReading``.
  package let persistedAt: Int64?
  /// As in ``FlagReading``.
  package let ttlMilliseconds: Int64?

  /// The exposure that a reading is; nil for a fallback, which shows nobody a flag.
  init?(_ key: String, _ reading: FlagReading) {
    guard reading.source != .fallback, let value = reading.value else { return nil }
    self.key = key
    self.value = value
    source = reading.source
    persistedAt = reading.persistedAt
    ttlMilliseconds = reading.ttlMilliseconds
  }

  /// The properties that the event has beside those of every event.
  package var properties: [JSONMember] {
    var members = [
      JSONMember("$feature_flag", .string(key)), JSONMember("$feature_flag_response", value.json),
      JSONMember("$feature_flag_source", .string(source.rawValue)),
    ]
    if let persistedAt { members.append(JSONMember("$feature_flag_persisted_at", .integer(persistedAt))) }
    if let ttlMilliseconds { members.append(JSONMember("$feature_flag_ttl_ms", .integer(ttlMilliseconds))) }
    return members
  }
}
