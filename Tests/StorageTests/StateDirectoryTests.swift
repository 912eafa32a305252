import Effects
import Foundation
import Testing

@testable import Storage

@Suite struct StateDirectoryTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func keepsASecondUserOutUntilTheFirstIsGone() throws {
    var first: StateDirectory? = try StateDirectory(path: directory.path)
    let error = #expect(throws: StoreError.self) { _ = try StateDirectory(path: directory.path + "/") }
    #expect(error?.code == .busy)
    #expect(error?.detail.contains(directory.path) == true)
    #expect(first?.path == directory.path)
    first = nil
    #expect(try StateDirectory(path: directory.path + "/").path == directory.path)
  }

  @Test func keepsTheModeOfADirectoryThatExists() throws {
    chmod(directory.path, 0o755)
    _ = try StateDirectory(path: directory.path)
    #expect(try directory.mode("") == 0o755)
    #expect(try directory.mode("lock") == 0o600)
  }

  @Test func refusesAPathThroughAFile() throws {
    try directory.write("file", [])
    #expect(throws: StoreError.self) { _ = try StateDirectory(path: directory.path + "/file") }
    #expect(throws: StoreError.self) { _ = try StateDirectory(path: directory.path + "/file/deeper") }
    #expect(throws: StoreError(.denied, "")) { _ = try StateDirectory(path: "") }
  }

  @Test func noticesThatItWasRemovedOrReplaced() throws {
    let path = directory.path + "/moving"
    let state = try StateDirectory(path: path)
    #expect(state.isInPlace)
    #expect(rename(path, path + "-away") == 0)
    #expect(!state.isInPlace)
    let other = try StateDirectory(path: path)
    #expect(other.isInPlace && !state.isInPlace)
  }
}
