package import Effects

/// How a delivery database behaves; the defaults are those of the product.
package struct DeliveryDatabaseOptions: Sendable {
  /// Dead letters kept; the oldest are deleted beyond that, and counted.
  package var maximumLetters: Int64 = 10_000
  /// The same in bytes.
  package var maximumLetterBytes: Int64 = 32 << 20
  /// The time of day, for the names of quarantined files.
  package var clock: any WallClock = SystemWallClock()
  /// Called on the database's thread when something happens that belongs into the log. Must not block.
  package var onIncident: @Sendable (DeliveryDatabaseIncident) -> Void = { _ in }
  /// The SQLite virtual file system to use instead of the default one; tests make it fail.
  package var fileSystem: String?

  package init() {}
}

/// What belongs into the log, once per occurrence.
package enum DeliveryDatabaseIncident: Sendable, Hashable {
  /// The database was damaged and was moved aside under the name; a new one takes its place, with what could be saved.
  case quarantined(name: String, reason: String)
  /// How far the backend has got is not known any more: everything that is stored is sent to it again, with the same
  /// ids.
  case positionLost(backend: String)
  /// So many of the oldest dead letters were deleted for the caps.
  case lettersDropped(Int64)
}
