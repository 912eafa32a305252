public import Effects
import Glibc

/// Small durable values, one file per key, for programs that embed the library.
///
/// A value is written to a temporary file, synced and renamed into place, and the directory is synced: a reader sees the
/// old value or the new one, also after a power failure. Files have mode 0600. Each begins with a line that holds its
/// checksum; a file that does not match is reported as `corrupt`, and setting the key again repairs it.
public struct FileKeyValueStore: KeyValueStore {
  private let directory: String

  /// A store in a directory, which is created for its owner alone (0700) if need be.
  public init(directory: String) throws(StoreError) {
    try StateDirectory.create(directory)
    self.directory = directory
  }

  /// The stored bytes, or nil when the key was never set or was removed.
  public func value(forKey key: String) throws(StoreError) -> [UInt8]? {
    let path = try path(forKey: key)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw systemStoreError(errno, "open \(path)")
    }
    defer { close(file) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(file, &chunk, chunk.count)
      if count == 0 { break }
      if count > 0 {
        content += chunk[..<count]
      } else if errno != EINTR {
        throw systemStoreError(errno, "read \(path)")
      }
    }
    guard let end = content.firstIndex(of: UInt8(ascii: "\n")) else {
      throw StoreError(.corrupt, "\(path) has no first line")
    }
    let value = [UInt8](content[(end + 1)...])
    guard content[...end].elementsEqual(Self.firstLine(value, key: key)) else {
      throw StoreError(.corrupt, "the checksum of \(path) does not match")
    }
    return value
  }

  /// Stores the bytes under the key, replacing what was there.
  public func set(_ value: [UInt8], forKey key: String) throws(StoreError) {
    let path = try path(forKey: key)
    // Unique within the machine, so that two writers never share a temporary file; the later rename wins.
    let temporary = "\(path).\(getpid()).\(SystemTokenSource.shared.sixteenBytes().0)~"
    let file = try openPrivateFile(temporary, O_WRONLY | O_CREAT | O_EXCL)
    do throws(StoreError) {
      defer { close(file) }
      try writeAll(file, Self.firstLine(value, key: key) + value, path: temporary)
      guard fsync(file) == 0 else { throw systemStoreError(errno, "sync \(temporary)") }
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, path) == 0 else {
      let number = errno
      unlink(temporary)
      throw systemStoreError(number, "rename \(temporary)")
    }
    try syncDirectory(directory)
  }

  /// Removes the key; not an error when it is not there.
  public func removeValue(forKey key: String) throws(StoreError) {
    let path = try path(forKey: key)
    guard unlink(path) == 0 else {
      if errno == ENOENT { return }
      throw systemStoreError(errno, "remove \(path)")
    }
    try syncDirectory(directory)
  }

  private static func firstLine(_ value: [UInt8], key: String) -> [UInt8] {
    let checksum = UInt64(bitPattern: RowChecksum.ofValue(value, forKey: key))
    return Array("value 1 \(String(checksum, radix: 16))\n".utf8)
  }

  /// Letters, digits, `-` and `_` stand for themselves, every other byte is written as `%XX`: no key can name a file
  /// outside the directory or a temporary one.
  private func path(forKey key: String) throws(StoreError) -> String {
    var name = ""
    for byte in key.utf8 {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default: name += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    guard (1...200).contains(name.utf8.count) else {
      throw StoreError(.denied, "a key must have 1 to 200 bytes once encoded as a file name, not \(name.utf8.count)")
    }
    return "\(directory)/\(name).value"
  }
}
