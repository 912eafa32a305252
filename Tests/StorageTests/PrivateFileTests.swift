import Effects
import Foundation
import Testing

@testable import Storage

@Suite struct PrivateFileTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func tightensAFileThatExists() throws {
    try directory.write("a", [1])
    chmod(directory.path + "/a", 0o644)
    close(try openPrivateFile(directory.path + "/a", O_RDWR))
    #expect(try directory.mode("a") == 0o600)
    chmod(directory.path + "/a", 0o666)
    try createPrivateFile(directory.path + "/a")
    #expect(try directory.mode("a") == 0o600)
    #expect(try directory.read("a") == [1])
  }

  @Test func closesItsFilesAtAnExec() throws {
    let file = try openPrivateFile(directory.path + "/a", O_RDWR | O_CREAT)
    defer { close(file) }
    #expect(fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
  }

  @Test func saysWhichFileFailedAndWhy() {
    let error = #expect(throws: StoreError.self) { _ = try openPrivateFile("/nonexistent/a", O_RDWR | O_CREAT) }
    #expect(error?.detail == "open /nonexistent/a: No such file or directory (errno 2)")
  }

  @Test func reportsAFullDisk() throws {
    let file = try openPrivateFile("/dev/full", O_WRONLY)
    defer { close(file) }
    #expect(throws: StoreError(.full, "")) { try writeAll(file, [1], path: "/dev/full") }
  }

  @Test func writesAllBytes() throws {
    let file = try openPrivateFile(directory.path + "/a", O_WRONLY | O_CREAT)
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
    try writeAll(file, bytes, path: "a")
    close(file)
    #expect(try directory.read("a") == bytes)
    try syncFile(directory.path + "/a")
    try syncDirectory(directory.path)
  }
}
