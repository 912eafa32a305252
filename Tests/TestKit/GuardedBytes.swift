import Glibc

/// Bytes that end where the next page must not be touched: reading or writing one byte too many ends the test run.
public struct GuardedBytes {
  /// The first byte.
  public let start: UnsafeMutablePointer<UInt8>
  /// The number of bytes.
  public let count: Int

  private init(start: UnsafeMutablePointer<UInt8>, count: Int) {
    self.start = start
    self.count = count
  }

  /// Calls `body` with a copy of `bytes` whose last byte is the last of a page.
  public static func with<T>(_ bytes: [UInt8], _ body: (GuardedBytes) throws -> T) throws -> T {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let room = (bytes.count + page - 1) / page * page
    guard let map = mmap(nil, room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      map != MAP_FAILED
    else { throw GuardError(code: errno) }
    defer { munmap(map, room + page) }
    guard mprotect(map + room, page, PROT_NONE) == 0 else { throw GuardError(code: errno) }
    let start = (map + (room - bytes.count)).assumingMemoryBound(to: UInt8.self)
    bytes.withUnsafeBufferPointer { source in
      if let first = source.baseAddress { start.update(from: first, count: bytes.count) }
    }
    return try body(GuardedBytes(start: start, count: bytes.count))
  }
}

/// The kernel gave no guarded memory.
public struct GuardError: Error {
  /// The `errno` of the failed call.
  public let code: Int32
}
