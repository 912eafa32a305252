import ClientFoundation
import Effects
import Storage

/// Keeps texts by their names, so that the identity, the flags and what is not delivered survive the end of the program.
///
/// A call returns when what it did would survive. Calls come from several threads at once.
public protocol CohorlyStorage: Sendable {
  /// The text under a key; nil when there is none.
  func string(forKey key: String) throws -> String?
  /// Keeps a text under a key, in place of what was there.
  func set(_ text: String, forKey key: String) throws
  /// Removes keys; not an error for those that are not there.
  func removeValues(forKeys keys: [String]) throws
}

/// Keeps everything in one file of a directory: SQLite, synced at each change.
///
/// One program at a time keeps its queue there. Another one that uses the same directory meanwhile shares identity and
/// flags, and has a queue in memory.
public final class CohorlyFileStorage: CohorlyStorage {
  private let store: SQLiteKeyValueStore
  /// Held as long as this object lives; nil when another program holds it.
  private let lock: StateDirectory?

  /// Storage in a directory, which is created for its owner alone (0700) if need be.
  ///
  /// - Throws: When the directory cannot be made, or the file in it not be used.
  public init(directory: String) throws {
    do throws(StoreError) {
      lock = try StateDirectory(path: directory)
    } catch  where error.code == .busy {
      lock = nil
    }
    store = try SQLiteKeyValueStore(directory: directory)
  }

  /// Storage in `$STATE_DIRECTORY/cohorly`, or below `$XDG_STATE_HOME` or `~/.local/state` in `PROGRAM/cohorly`.
  static func inDefaultDirectory() throws -> CohorlyFileStorage {
    guard let directory = ProgramDirectory.path(of: "cohorly") else {
      throw StoreError(.denied, "there is no directory: neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME is set")
    }
    return try CohorlyFileStorage(directory: directory)
  }

  /// Whether this program may keep its queue here.
  var ownsQueue: Bool { lock != nil }

  /// The text under a key; nil when there is none.
  public func string(forKey key: String) throws -> String? {
    try store.value(forKey: key).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Keeps a text under a key, in place of what was there.
  public func set(_ text: String, forKey key: String) throws { try store.set(Array(text.utf8), forKey: key) }

  /// Removes keys, all of them or none.
  public func removeValues(forKeys keys: [String]) throws { try store.removeValues(forKeys: keys) }
}
