import Effects
import Glibc

/// A SQLite database on disk: the main file and the companions that belong to it.
struct DatabaseFiles: Sendable {
  /// The directory, without a trailing slash.
  let directory: String
  /// The name of the main file.
  let name: String

  /// The path of the main file.
  var path: String { "\(directory)/\(name)" }

  private static let companions = ["", "-wal", "-shm"]

  /// How many damaged databases are kept: enough to look into, not enough to fill a disk that keeps damaging them.
  static let keptQuarantines = 5

  /// Moves the database out of the way, whole, so that nothing in it is lost and a new one can start.
  ///
  /// The companions keep their suffix, so that `sqlite3` opens the moved file with its log.
  /// Of those moved earlier the newest stay, `keptQuarantines` with this one.
  /// - Returns: the new name of the main file, `NAME.corrupt-MILLISECONDS`.
  func quarantine(atMilliseconds now: Int64) throws(StoreError) -> String {
    var moved = "\(name).corrupt-\(now)"
    var attempt = 1
    while fileExists("\(directory)/\(moved)") {
      attempt += 1
      moved = "\(name).corrupt-\(now)-\(attempt)"
    }
    // The log goes first: SQLite would replay one that is left behind onto the new file.
    for companion in Self.companions.reversed() {
      let source = path + companion
      guard fileExists(source) else { continue }
      guard rename(source, "\(directory)/\(moved)\(companion)") == 0 else {
        throw systemStoreError(errno, "move \(source) aside")
      }
    }
    pruneQuarantines(sparing: moved)
    return moved
  }

  /// Removes the oldest quarantined databases. One that cannot be removed stays: the new file matters more.
  private func pruneQuarantines(sparing newest: String) {
    let prefix = "\(name).corrupt-"
    var earlier: [(time: Int64, attempt: Int64, name: String)] = []
    for entry in directoryEntries(directory) where entry.hasPrefix(prefix) && entry != newest {
      // NAME.corrupt-MILLISECONDS or NAME.corrupt-MILLISECONDS-ATTEMPT; a companion has letters there.
      let numbers = entry.dropFirst(prefix.count).split(separator: "-", omittingEmptySubsequences: false).map {
        Int64($0)
      }
      guard let time = numbers.first ?? nil, numbers.count <= 2, let attempt = numbers.count == 2 ? numbers[1] : 1
      else { continue }
      earlier.append((time, attempt, entry))
    }
    earlier.sort { ($0.time, $0.attempt) < ($1.time, $1.attempt) }
    for old in earlier.dropLast(Self.keptQuarantines - 1) {
      for companion in Self.companions { unlink("\(directory)/\(old.name)\(companion)") }
    }
  }

  /// Puts a complete database, closed and without companions, in the place of this one.
  func replace(by other: DatabaseFiles) throws(StoreError) {
    // In this order for the same reason: the old log must be gone before the new file stands in its place.
    for companion in Self.companions.dropFirst() where unlink(path + companion) != 0 && errno != ENOENT {
      throw systemStoreError(errno, "remove \(path + companion)")
    }
    guard rename(other.path, path) == 0 else { throw systemStoreError(errno, "rename \(other.path)") }
    try syncDirectory(directory)
  }

  /// Removes the database with its companions; not an error when there is none.
  func remove() throws(StoreError) {
    for companion in Self.companions where unlink(path + companion) != 0 && errno != ENOENT {
      throw systemStoreError(errno, "remove \(path + companion)")
    }
  }

  /// What tells the file at the path apart from one that was there before.
  var identity: FileIdentity? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }
}

/// A file, whatever its name.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
}

/// The names in a directory; none when it cannot be read.
private func directoryEntries(_ path: String) -> [String] {
  guard let stream = opendir(path) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    names.append(withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
  }
  return names
}
