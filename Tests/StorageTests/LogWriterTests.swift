import Effects
import Foundation
import Testing

@testable import Storage

/// What the log does when its file refuses: `/dev/full` accepts an open and fails every write for lack of space.
@Suite struct LogWriterTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func countsAndDropsLinesWhileTheDiskIsFull() throws {
    let log = try RotatableLogFile(path: "/dev/full", pendingBytes: 100)
    for _ in 0..<30 { log.write(Array("0123456789\n".utf8)) }
    #expect(!log.flush(timeoutMilliseconds: 300))
    let status = log.status
    #expect(status.lastError?.code == .full)
    #expect(status.failures > 0)
    #expect(status.dropped > 0)
    #expect(status.writtenBytes == 0)
    log.close()
    #expect(log.status.dropped == 30, "those that waited are lost at the close, and counted")
  }

  @Test func writesOnAfterTheDiskWasFull() throws {
    let path = directory.path + "/access.log"
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
    let log = try RotatableLogFile(path: path)
    log.write(Array("first\n".utf8))
    #expect(!log.flush(timeoutMilliseconds: 300))
    try FileManager.default.removeItem(atPath: path)
    log.reopen()
    log.write(Array("second\n".utf8))
    #expect(log.flush(timeoutMilliseconds: 30_000))
    #expect(try directory.read("access.log") == Array("first\nsecond\n".utf8))
  }
}
