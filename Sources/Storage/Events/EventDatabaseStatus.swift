package import Effects

/// The counters of an event database since it was opened, and its present state.
package struct EventDatabaseStatus: Sendable, Hashable {
  /// Rows committed.
  package var committed: Int64 = 0
  /// Rows in memory, not committed yet.
  package var pending = 0
  /// Rows dropped because the memory for waiting rows was full.
  package var droppedFull: Int64 = 0
  /// Rows lost because they could not be written: at the close of a failing database, or because their id is empty or
  /// has blanks.
  package var droppedError: Int64 = 0
  /// Rows refused because the database was closed.
  package var droppedClosed: Int64 = 0
  /// Rows deleted because of the retention limits.
  package var expired: Int64 = 0
  /// Stored rows whose checksum did not match when the database was opened. They are never handed out.
  package var damaged: Int64 = 0
  /// Failed attempts to write.
  package var failures: Int64 = 0
  /// Damaged database files that were moved aside.
  package var quarantined: Int64 = 0
  /// Whether the last attempt to write failed.
  package var isFailing = false
  /// The last failure, kept after recovery.
  package var lastError: StoreError?
  /// The sequence number of the last row that is committed, ever.
  package var lastSequence: Int64 = 0
  /// Rows on disk.
  package var rows: Int64 = 0
  /// Size of the main file in bytes.
  package var fileBytes: Int64 = 0

  package init() {}
}
