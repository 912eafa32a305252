import CSQLite

/// A prepared statement; parameters count from 1, columns from 0.
final class SQLiteStatement {
  private let handle: OpaquePointer
  private let connection: SQLiteConnection

  init(owning handle: OpaquePointer, of connection: SQLiteConnection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ value: Int64, at index: Int32) throws(SQLiteFailure) {
    guard sqlite3_bind_int64(handle, index, value) == SQLITE_OK else { throw connection.failure("bind") }
  }

  /// Advances to the next row; false when there is none. After an error or the last row the statement is reset.
  func step() throws(SQLiteFailure) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      let failure = connection.failure(sql)
      sqlite3_reset(handle)
      throw failure
    }
  }

  /// Binds one text or blob and runs the statement to its first row or its end.
  ///
  /// The value is bound in place, without a copy, and the binding is cleared before the bytes can go away: a row that
  /// is read afterwards must not depend on the parameter.
  func step(binding value: Value, at index: Int32) throws(SQLiteFailure) -> Bool {
    let code = value.withBytes { bytes, isText in
      bindInPlace(bytes, isText: isText, at: index) == SQLITE_OK ? sqlite3_step(handle) : SQLITE_ERROR
    }
    return try finishStep(code, clearing: index...index)
  }

  /// The same for two values, at consecutive parameters.
  func step(binding first: Value, _ second: Value, at index: Int32) throws(SQLiteFailure) -> Bool {
    let code = first.withBytes { firstBytes, firstIsText in
      second.withBytes { secondBytes, secondIsText in
        guard bindInPlace(firstBytes, isText: firstIsText, at: index) == SQLITE_OK,
          bindInPlace(secondBytes, isText: secondIsText, at: index + 1) == SQLITE_OK
        else { return SQLITE_ERROR }
        return sqlite3_step(handle)
      }
    }
    return try finishStep(code, clearing: index...(index + 1))
  }

  /// Makes the statement ready to run again.
  func reset() { sqlite3_reset(handle) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// The column's text; empty for NULL.
  ///
  /// Not by way of `bytes`: as a blob SQLite gives text in the encoding of the file, which damage can make UTF-16.
  func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    return String(
      decoding: UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))), as: UTF8.self)
  }

  /// The column's bytes, whether it holds a blob or text.
  func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

  /// The same in place, without a copy. The bytes go away with the next step.
  func withBytes<Result>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    // The order matters: the length is that of the form that was asked for last.
    let start = sqlite3_column_blob(handle, column)
    return body(
      UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column))))
  }

  /// A parameter that lies in memory of the caller.
  enum Value {
    case text(String)
    /// Text that is UTF-8 already.
    case utf8([UInt8])
    case blob([UInt8])

    fileprivate func withBytes(_ body: (UnsafeRawBufferPointer, _ isText: Bool) -> Int32) -> Int32 {
      switch self {
      case .text(var string): return string.withUTF8 { body(UnsafeRawBufferPointer($0), true) }
      case .utf8(let bytes): return bytes.withUnsafeBytes { body($0, true) }
      case .blob(let bytes): return bytes.withUnsafeBytes { body($0, false) }
      }
    }
  }

  private var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "statement" }

  /// A nil destructor is SQLITE_STATIC: SQLite reads the caller's memory. A nil pointer would bind NULL.
  private func bindInPlace(_ bytes: UnsafeRawBufferPointer, isText: Bool, at index: Int32) -> Int32 {
    guard let start = bytes.baseAddress, bytes.count > 0 else {
      return isText
        ? sqlite3_bind_text(handle, index, "", 0, nil) : sqlite3_bind_zeroblob(handle, index, 0)
    }
    let count = UInt64(bytes.count)
    return isText
      ? sqlite3_bind_text64(
        handle, index, start.assumingMemoryBound(to: CChar.self), count, nil, UInt8(SQLITE_UTF8))
      : sqlite3_bind_blob64(handle, index, start, count, nil)
  }

  private func finishStep(_ code: Int32, clearing indexes: ClosedRange<Int32>) throws(SQLiteFailure) -> Bool {
    if code == SQLITE_ROW { return true }
    let failure = code == SQLITE_DONE ? nil : connection.failure(sql)
    sqlite3_reset(handle)
    for index in indexes { sqlite3_bind_null(handle, index) }
    if let failure { throw failure }
    return false
  }
}
