import Foundation

/// A directory in memory, if the system has such, for files that are made and damaged thousands of times.
final class ScratchDirectory: Sendable {
  let path: String

  init(_ purpose: String) throws {
    let shared = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: shared) ? shared : NSTemporaryDirectory()
    path = "\(parent)/footfall-\(purpose)-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Removes everything in it.
  func empty() throws {
    for name in try names() { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
  }

  func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path) }

  func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }

  /// Removes the directory itself.
  func remove() throws { try FileManager.default.removeItem(atPath: path) }
}
