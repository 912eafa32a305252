package import Effects
import Glibc

/// The directory that holds everything a running proxy keeps, locked against a second instance.
///
/// It is created for its owner alone (0700), with the directories above it. One that exists keeps its mode, since it
/// may be shared with others (systemd's `StateDirectory=` gives 0755); the files inside are 0600 in either case.
package final class StateDirectory: Sendable {
  /// Where the directory lies, without a trailing slash.
  package let path: String
  private let lock: CInt

  /// Creates the directory if need be and takes its lock, which ends with this object or with the process.
  ///
  /// - Throws: `busy` when another instance holds the lock, `denied`, `full` or `inputOutput` as the system says.
  package init(path: String) throws(StoreError) {
    try Self.create(path)
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let lockFile = self.path + "/lock"
    let file = try openPrivateFile(lockFile, O_RDWR | O_CREAT)
    var wanted = Glibc.flock()
    wanted.l_type = Int16(F_WRLCK)
    wanted.l_whence = Int16(SEEK_SET)
    guard fcntl(file, setOpenFileDescriptionLock, &wanted) == 0 else {
      let number = errno
      close(file)
      guard number == EAGAIN || number == EACCES else { throw systemStoreError(number, "lock \(lockFile)") }
      throw StoreError(.busy, "\(self.path) is in use by another instance; stop it, or choose another state directory")
    }
    lock = file
  }

  deinit { close(lock) }

  /// Whether the directory is still where it was: neither removed nor replaced by another one.
  package var isInPlace: Bool {
    var held = stat()
    var found = stat()
    return fstat(lock, &held) == 0 && stat(path + "/lock", &found) == 0 && held.st_ino == found.st_ino
      && held.st_dev == found.st_dev
  }

  /// Creates the directory and those above it, each with mode 0700, where they are missing.
  static func create(_ path: String) throws(StoreError) {
    guard !path.isEmpty else { throw StoreError(.denied, "the path of the state directory is empty") }
    var prefix = path.hasPrefix("/") ? "" : "."
    for component in path.split(separator: "/", omittingEmptySubsequences: true) {
      prefix += "/\(component)"
      if mkdir(prefix, 0o700) == 0 { continue }
      let number = errno
      // A parent that exists may also refuse with another error, such as EROFS; what counts is whether it is there.
      var status = stat()
      guard stat(prefix, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw systemStoreError(number == EEXIST ? ENOTDIR : number, "create the directory \(prefix)")
      }
    }
  }
}

/// F_OFD_SETLK of fcntl(2), which the Glibc module hides. Unlike the older record locks it belongs to the open file, so
/// that it also keeps two users in one process apart and does not vanish when another descriptor is closed.
private let setOpenFileDescriptionLock: CInt = 37
