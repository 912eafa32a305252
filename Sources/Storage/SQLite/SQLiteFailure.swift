import CSQLite
import Effects
import Glibc

/// What SQLite answered instead of success.
struct SQLiteFailure: Error {
  /// The extended result code (https://sqlite.org/rescode.html).
  let code: Int32
  /// The errno behind it, or 0.
  let systemError: Int32
  /// What was being done, and SQLite's own words.
  let message: String

  init(code: Int32, systemError: Int32 = 0, message: String) {
    self.code = code
    self.systemError = systemError
    self.message = message
  }

  /// The code without its extension.
  var primaryCode: Int32 { code & 0xff }

  /// The file is not, or no longer, the database it should be.
  var isCorruption: Bool { primaryCode == SQLITE_CORRUPT || primaryCode == SQLITE_NOTADB }

  /// The device did not confirm that data had reached it. What the page cache shows from now on proves nothing, so a
  /// repeated sync must not be trusted.
  var isSyncFailure: Bool {
    // The extended codes are macros with arithmetic in them, which Swift does not import:
    // SQLITE_IOERR_FSYNC and SQLITE_IOERR_DIR_FSYNC.
    code == SQLITE_IOERR | (4 << 8) || code == SQLITE_IOERR | (5 << 8)
  }

  /// The failure in the vocabulary of the seam, with the extended code in its detail.
  var storeError: StoreError {
    var detail = "\(message) (SQLite \(code)"
    if systemError != 0 { detail += ", errno \(systemError): \(systemErrorText(systemError))" }
    return StoreError(storeCode, detail + ")")
  }

  private var storeCode: StoreError.Code {
    if systemError == ENOSPC || systemError == EDQUOT { return .full }
    switch primaryCode {
    case SQLITE_FULL, SQLITE_TOOBIG: return .full
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH: return .corrupt
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
    case SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH: return .denied
    case SQLITE_CANTOPEN: return isRefusal(systemError) ? .denied : .inputOutput
    default: return .inputOutput
    }
  }
}

/// The words of the C library for an errno.
func systemErrorText(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 128)
  // The XSI form of strerror_r: the text lands in the buffer.
  guard strerror_r(number, &buffer, buffer.count) == 0 else { return "unknown error" }
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Whether the errno says that the operating system refused access.
func isRefusal(_ number: Int32) -> Bool { number == EACCES || number == EPERM || number == EROFS }

/// The error of a failed system call, in the vocabulary of the seam.
func systemStoreError(_ number: Int32, _ action: String) -> StoreError {
  let detail = "\(action): \(systemErrorText(number)) (errno \(number))"
  if number == ENOSPC || number == EDQUOT { return StoreError(.full, detail) }
  return StoreError(isRefusal(number) ? .denied : .inputOutput, detail)
}
