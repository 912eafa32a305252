import Effects
import Foundation
import Testing

@testable import Storage

@Suite struct RotatableLogFileTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func line(_ number: Int) -> [UInt8] { Array(#"{"line":\#(number)}"#.utf8) + [10] }

  @Test func appendsWholeLines() throws {
    try directory.write("access.log", Array("old\n".utf8))
    let log = try RotatableLogFile(path: directory.path + "/access.log")
    for number in 0..<1000 { log.write(line(number)) }
    #expect(log.flush(timeoutMilliseconds: 30_000))
    #expect(try directory.read("access.log") == Array("old\n".utf8) + (0..<1000).flatMap { line($0) })
    #expect(log.status.writtenBytes == Int64((0..<1000).reduce(0) { $0 + line($1).count }))
  }

  @Test func writesWithoutBeingAsked() throws {
    let log = try RotatableLogFile(path: directory.path + "/access.log")
    log.write(line(1))
    let deadline = Date(timeIntervalSinceNow: 30)
    while log.status.writtenBytes == 0, Date() < deadline { usleep(5_000) }
    #expect(try directory.read("access.log") == line(1))
  }

  @Test func createsAPrivateFile() throws {
    let log = try RotatableLogFile(path: directory.path + "/access.log")
    log.close()
    #expect(try directory.mode("access.log") == 0o600)
  }

  @Test func followsARotation() throws {
    let path = directory.path + "/access.log"
    let log = try RotatableLogFile(path: path)
    log.write(line(1))
    try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
    log.reopen()
    #expect(log.flush(timeoutMilliseconds: 30_000))
    log.write(line(2))
    log.close()
    #expect(try directory.read("access.log.1") == line(1))
    #expect(try directory.read("access.log") == line(2))
  }

  @Test func writesWhatWaitsAtTheCloseAndRefusesMore() throws {
    let log = try RotatableLogFile(path: directory.path + "/access.log")
    log.write(line(1))
    log.close()
    log.write(line(2))
    log.close()
    #expect(try directory.read("access.log") == line(1))
    #expect(log.status.dropped == 1)
  }

  @Test func saysAtOnceWhenItCannotBeOpened() {
    #expect(throws: StoreError.self) { _ = try RotatableLogFile(path: "\(directory.path)/missing/access.log") }
  }
}
