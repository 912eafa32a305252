import CSQLite
import Effects
import Glibc
import Testing

@testable import Storage

@Suite struct SQLiteFailureTests {
  @Test(
    arguments: [
      (SQLITE_FULL, 0, .full), (SQLITE_IOERR | (3 << 8), 28, .full), (SQLITE_IOERR | (3 << 8), 5, .inputOutput),
      (SQLITE_CORRUPT, 0, .corrupt), (SQLITE_NOTADB, 0, .corrupt), (SQLITE_BUSY | (1 << 8), 0, .busy),
      (SQLITE_READONLY, 0, .denied), (SQLITE_CANTOPEN, 13, .denied), (SQLITE_CANTOPEN, 24, .inputOutput),
      (SQLITE_NOMEM, 0, .inputOutput),
    ] as [(Int32, Int32, StoreError.Code)])
  func mapsToTheSeam(code: Int32, systemError: Int32, expected: StoreError.Code) {
    let failure = SQLiteFailure(code: code, systemError: systemError, message: "m")
    #expect(failure.storeError.code == expected)
    #expect(failure.storeError.detail.contains("SQLite \(code)"))
  }

  @Test func knowsASyncFailure() {
    #expect(SQLiteFailure(code: 1034, message: "").isSyncFailure)
    #expect(SQLiteFailure(code: 1290, message: "").isSyncFailure)
    #expect(!SQLiteFailure(code: 778, message: "").isSyncFailure)
  }

  @Test func knowsDamage() {
    #expect(SQLiteFailure(code: SQLITE_CORRUPT | (1 << 8), message: "").isCorruption)
    #expect(SQLiteFailure(code: SQLITE_NOTADB, message: "").isCorruption)
    #expect(!SQLiteFailure(code: SQLITE_IOERR, message: "").isCorruption)
  }

  @Test func tellsTheErrorOfTheSystemOnlyWhenThereIsOne() {
    let plain = SQLiteFailure(code: 11, message: "SELECT 1: malformed").storeError
    #expect(plain.detail == "SELECT 1: malformed (SQLite 11)")
    let deeper = SQLiteFailure(code: 778, systemError: ENOSPC, message: "commit").storeError
    #expect(deeper.detail == "commit (SQLite 778, errno 28: No space left on device)")
  }

  @Test(
    arguments: [
      (ENOSPC, .full), (EDQUOT, .full), (EACCES, .denied), (EPERM, .denied), (EROFS, .denied), (EIO, .inputOutput),
      (ENOENT, .inputOutput),
    ] as [(Int32, StoreError.Code)])
  func mapsAFailedSystemCall(number: Int32, code: StoreError.Code) {
    let error = systemStoreError(number, "open /x")
    #expect(error.code == code)
    #expect(error.detail == "open /x: \(String(cString: strerror(number))) (errno \(number))")
  }

  @Test func hasWordsForAnUnknownError() {
    #expect(systemErrorText(123_456).lowercased().contains("unknown error"))
  }
}
