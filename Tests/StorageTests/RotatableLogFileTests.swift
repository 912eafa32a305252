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

  @Test func refusesANamedPipeThatNobodyReads() throws {
    let path = directory.path + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: StoreError.self) { _ = try RotatableLogFile(path: path) }
  }

  @Test func endsAlthoughAPipeIsFull() throws {
    let path = directory.path + "/pipe"
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let log = try RotatableLogFile(path: path)
    for number in 0..<20_000 { log.write(line(number)) }
    let deadline = Date(timeIntervalSinceNow: 30)
    while log.status.failures == 0, Date() < deadline { usleep(5_000) }
    log.close()
    #expect(log.status.lastError == StoreError(.busy, ""))
    // What the pipe took are whole pieces from the beginning, and every line is either there or counted.
    var taken: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(reader, &chunk, chunk.count)
      if count <= 0 { break }
      taken += chunk.prefix(count)
    }
    #expect((0..<20_000).flatMap { line($0) }.starts(with: taken) && !taken.isEmpty)
    let whole = Int64(taken.count { $0 == 10 })
    #expect(whole + log.status.dropped == 20_000)
  }
}
