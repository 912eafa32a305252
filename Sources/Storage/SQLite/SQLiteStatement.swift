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

  /// Binds one text or blob and runs the statement, which is to return no row, to its end.
  ///
  /// The value is bound in place, without a copy: the statement is reset and the binding cleared before the bytes can
  /// go away.
  func run(binding value: Value, at index: Int32) throws(SQLiteFailure) {
    try value.withBytes { bytes, isText in
      finish(
        bindInPlace(bytes, isText: isText, at: index) == SQLITE_OK ? sqlite3_step(handle) : SQLITE_ERROR,
        clearing: index..<(index + 1))
    }.get()
  }

  /// The same for two values, at consecutive parameters.
  func run(binding first: Value, _ second: Value, at index: Int32) throws(SQLiteFailure) {
    try first.withBytes { firstBytes, firstIsText in
      second.withBytes { secondBytes, secondIsText in
        guard bindInPlace(firstBytes, isText: firstIsText, at: index) == SQLITE_OK,
          bindInPlace(secondBytes, isText: secondIsText, at: index + 1) == SQLITE_OK
        else { return finish(SQLITE_ERROR, clearing: index..<(index + 2)) }
        return finish(sqlite3_step(handle), clearing: index..<(index + 2))
      }
    }.get()
  }

  /// The same for any number of values, at consecutive parameters.
  func run(binding values: [Value], at index: Int32) throws(SQLiteFailure) {
    try forEachRow(binding: values, at: index) { _ in }
  }

  /// Binds values to consecutive parameters and reads every row, while the values are still there.
  func forEachRow(
    binding values: [Value], at index: Int32, _ read: (SQLiteStatement) -> Void
  ) throws(SQLiteFailure) {
    try bindAndStep(values[...], at: index, first: index, read).get()
  }

  private func bindAndStep(
    _ values: ArraySlice<Value>, at index: Int32, first: Int32, _ read: (SQLiteStatement) -> Void
  ) -> Swift.Result<Void, SQLiteFailure> {
    guard let value = values.first else {
      var code = sqlite3_step(handle)
      while code == SQLITE_ROW {
        read(self)
        code = sqlite3_step(handle)
      }
      return finish(code, clearing: first..<index)
    }
    return value.withBytes { bytes, isText in
      guard bindInPlace(bytes, isText: isText, at: index) == SQLITE_OK else {
        return finish(SQLITE_ERROR, clearing: first..<(index + 1))
      }
      return bindAndStep(values.dropFirst(), at: index + 1, first: first, read)
    }
  }

  /// Binds one text or blob and reads the first row, while the value is still there; nil when there is no row.
  func firstRow<Result>(
    binding value: Value, at index: Int32, _ read: (SQLiteStatement) -> Result
  ) throws(SQLiteFailure) -> Result? {
    var result: Result?
    try value.withBytes { bytes, isText in
      guard bindInPlace(bytes, isText: isText, at: index) == SQLITE_OK else {
        return finish(SQLITE_ERROR, clearing: index..<(index + 1))
      }
      let code = sqlite3_step(handle)
      if code == SQLITE_ROW { result = read(self) }
      return finish(code, clearing: index..<(index + 1))
    }.get()
    return result
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

    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer, _ isText: Bool) -> Result) -> Result {
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

  /// Resets the statement after its last step and lets go of what was bound in place.
  private func finish(_ code: Int32, clearing indexes: Range<Int32>) -> Swift.Result<Void, SQLiteFailure> {
    let failure = code == SQLITE_DONE || code == SQLITE_ROW ? nil : connection.failure(sql)
    sqlite3_reset(handle)
    for index in indexes { sqlite3_bind_null(handle, index) }
    return failure.map { .failure($0) } ?? .success(())
  }
}
