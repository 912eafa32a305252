import CSQLite
import Synchronization

/// A SQLite virtual file system on top of the real one whose writes and syncs fail on demand.
final class FaultyFileSystem: Sendable {
  enum Operation: Sendable { case write, sync, truncate }

  private struct Plan {
    var failures: [Operation: Int32] = [:]
    /// Operations until the one that fails, which then fails once.
    var countdown: Int?
    var countdownCode: Int32 = 0
    var operations = 0
  }

  /// The name to open databases with.
  let name: String
  private let plan = Mutex(Plan())

  init() {
    name = "faulty-\(Self.serial.withLock { number in number += 1; return number })"
    register()
  }

  /// Every operation of the kind fails with the code until ``heal()``.
  func fail(_ operation: Operation, code: Int32) { plan.withLock { $0.failures[operation] = code } }

  /// The n-th operation from now, whatever its kind, fails once.
  func failOnce(after count: Int, code: Int32) {
    plan.withLock { plan in
      plan.countdown = count
      plan.countdownCode = code
    }
  }

  /// Nothing fails any more.
  func heal() {
    plan.withLock { plan in
      plan.failures = [:]
      plan.countdown = nil
    }
  }

  /// Whether the failure of ``failOnce(after:code:)`` is still to come.
  var isArmed: Bool { plan.withLock { $0.countdown != nil } }

  fileprivate func verdict(_ operation: Operation) -> Int32? {
    plan.withLock { plan in
      if let code = plan.failures[operation] { return code }
      guard let countdown = plan.countdown else { return nil }
      plan.countdown = countdown > 1 ? countdown - 1 : nil
      guard countdown <= 1 else { return nil }
      return operation == .sync ? SQLITE_IOERR | (4 << 8) : plan.countdownCode
    }
  }

  private static let serial = Mutex(0)

  /// The registration stays for the life of the test process, as SQLite keeps the pointer.
  private func register() {
    guard let system = sqlite3_vfs_find(nil) else { return }
    let own = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    own.initialize(to: system.pointee)
    own.pointee.zName = name.withCString { UnsafePointer(sqlite3_mprintf_copy($0)) }
    own.pointee.pAppData = Unmanaged.passRetained(self).toOpaque()
    own.pointee.xOpen = { own, path, file, flags, outFlags in
      guard let system = sqlite3_vfs_find("unix"), let own, let file, let data = own.pointee.pAppData else {
        return SQLITE_CANTOPEN
      }
      let code = system.pointee.xOpen(system, path, file, flags, outFlags)
      guard code == SQLITE_OK, let methods = file.pointee.pMethods else { return code }
      let faulty = Unmanaged<FaultyFileSystem>.fromOpaque(data).takeUnretainedValue()
      openFiles.withLock {
        $0[UInt(bitPattern: file)] = OpenFile(fileSystem: faulty, methods: UInt(bitPattern: methods))
      }
      file.pointee.pMethods = UnsafePointer(faultyMethods(over: methods))
      return code
    }
    sqlite3_vfs_register(own, 0)
  }
}

private func sqlite3_mprintf_copy(_ text: UnsafePointer<CChar>) -> UnsafeMutablePointer<CChar> {
  var count = 0
  while text[count] != 0 { count += 1 }
  let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count + 1)
  for index in 0...count { copy[index] = text[index] }
  return copy
}

private struct OpenFile {
  let fileSystem: FaultyFileSystem
  let methods: UInt
}

/// C callbacks carry no context, so they find theirs by the file.
private let openFiles = Mutex<[UInt: OpenFile]>([:])
private let methodTables = Mutex<[UInt: UInt]>([:])

private func original(_ file: UnsafeMutablePointer<sqlite3_file>?) -> (OpenFile, UnsafePointer<sqlite3_io_methods>)? {
  guard let entry = openFiles.withLock({ $0[UInt(bitPattern: file)] }),
    let methods = UnsafePointer<sqlite3_io_methods>(bitPattern: entry.methods)
  else { return nil }
  return (entry, methods)
}

private func faultyMethods(
  over methods: UnsafePointer<sqlite3_io_methods>
) -> UnsafeMutablePointer<sqlite3_io_methods> {
  let address = methodTables.withLock { tables in
    if let known = tables[UInt(bitPattern: methods)] { return known }
    let own = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    own.initialize(to: methods.pointee)
    own.pointee.xWrite = { file, data, count, offset in
      guard let (entry, methods) = original(file) else { return SQLITE_IOERR }
      return entry.fileSystem.verdict(.write) ?? methods.pointee.xWrite(file, data, count, offset)
    }
    own.pointee.xSync = { file, flags in
      guard let (entry, methods) = original(file) else { return SQLITE_IOERR }
      return entry.fileSystem.verdict(.sync) ?? methods.pointee.xSync(file, flags)
    }
    own.pointee.xTruncate = { file, size in
      guard let (entry, methods) = original(file) else { return SQLITE_IOERR }
      return entry.fileSystem.verdict(.truncate) ?? methods.pointee.xTruncate(file, size)
    }
    own.pointee.xClose = { file in
      guard let (_, methods) = original(file) else { return SQLITE_IOERR }
      openFiles.withLock { _ = $0.removeValue(forKey: UInt(bitPattern: file)) }
      return methods.pointee.xClose(file)
    }
    tables[UInt(bitPattern: methods)] = UInt(bitPattern: own)
    return UInt(bitPattern: own)
  }
  // The table was allocated above, so the address is never 0.
  return UnsafeMutablePointer(bitPattern: address) ?? .allocate(capacity: 1)
}
