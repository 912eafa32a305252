package import Effects

/// How an event database behaves; the defaults are those of the product.
package struct EventDatabaseOptions: Sendable {
  /// Rows wait at most this long for others to share their transaction. Of the 200 ms that are promised as the most a
  /// kill -9 can lose, the worker's batch may take 20; what is left is for the threads to get a processor, for a
  /// checkpoint under way, and for the transaction itself.
  package var groupCommitMilliseconds = 40
  /// So many waiting rows are committed at once.
  package var groupCommitRows = 1_000
  /// Rows held in memory, waiting or being written; further ones are dropped and counted.
  package var pendingRows = 65_536
  /// The same in bytes.
  package var pendingBytes = 16 << 20
  /// Rows kept on disk; the oldest are deleted beyond that.
  package var retainedRows: Int64 = 1_000_000
  /// Bytes of the main file that rows may occupy; the oldest are deleted beyond that.
  package var retainedBytes: Int64 = 128 << 20
  /// Bytes of rows after which the write-ahead log is copied into the main file: about a thousand pages, as SQLite's own
  /// checkpoints.
  package var checkpointBytes = 4 << 20
  /// The first and the longest pause after a failure; each failure doubles the pause.
  package var retryMilliseconds: ClosedRange<Int> = 100...5_000
  /// The time of day, for the names of quarantined files.
  package var clock: any WallClock = SystemWallClock()
  /// Called on the writer's thread when something happens that belongs into the log. Must not block.
  package var onIncident: @Sendable (EventDatabaseIncident) -> Void = { _ in }
  /// The SQLite virtual file system to use instead of the default one; tests make it fail.
  package var fileSystem: String?

  package init() {}
}

/// What belongs into the log, once per occurrence and not once per row.
package enum EventDatabaseIncident: Sendable {
  /// The database was damaged and was moved aside under the name; a new one takes its place.
  case quarantined(name: String, reason: String)
  /// Writing fails; rows wait in memory, and writing is tried again.
  case failing(StoreError)
  /// Writing works again.
  case recovered
}
