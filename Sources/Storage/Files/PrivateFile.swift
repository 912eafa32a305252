import Effects
import Glibc

/// Opens a file that its owner alone may read and write, whatever the umask says. The descriptor is the caller's.
func openPrivateFile(_ path: String, _ flags: CInt) throws(StoreError) -> CInt {
  let file = open(path, flags | O_CLOEXEC, 0o600)
  guard file >= 0 else { throw systemStoreError(errno, "open \(path)") }
  var status = stat()
  // Only a regular file is tightened: a device or a pipe belongs to the system.
  if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o777 != 0o600 {
    // Another owner's file cannot be tightened, and works as it is.
    fchmod(file, 0o600)
  }
  return file
}

/// Makes sure that the file exists with mode 0600. SQLite gives its companions (`-wal`, `-shm`) the mode of the main
/// file, so this must come before it opens one.
func createPrivateFile(_ path: String) throws(StoreError) {
  var status = stat()
  if stat(path, &status) == 0 {
    // By path: closing any descriptor of a database would drop the locks that SQLite holds on it in this process.
    if status.st_mode & 0o777 != 0o600 { chmod(path, 0o600) }
    return
  }
  close(try openPrivateFile(path, O_RDWR | O_CREAT))
}

/// Whether something exists at the path.
func fileExists(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0
}

/// Makes the names in the directory durable.
func syncDirectory(_ path: String) throws(StoreError) {
  let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard directory >= 0 else { throw systemStoreError(errno, "open \(path)") }
  defer { close(directory) }
  guard fsync(directory) == 0 else { throw systemStoreError(errno, "sync \(path)") }
}

/// Writes all bytes, across interruptions and partial writes.
func writeAll(_ file: CInt, _ bytes: [UInt8], path: String) throws(StoreError) {
  let number: CInt = bytes.withUnsafeBytes { buffer in
    var rest = buffer[...]
    while !rest.isEmpty {
      let count = write(file, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno != EINTR {
        return errno
      }
    }
    return 0
  }
  guard number == 0 else { throw systemStoreError(number, "write \(path)") }
}

/// Whether the system grants this process writing to the file.
func isWritable(_ path: String) -> Bool { access(path, W_OK) == 0 }

/// Makes the content of a file durable. Not for a database that is open: see ``createPrivateFile(_:)``.
func syncFile(_ path: String) throws(StoreError) {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw systemStoreError(errno, "open \(path)") }
  defer { close(file) }
  guard fsync(file) == 0 else { throw systemStoreError(errno, "sync \(path)") }
}
