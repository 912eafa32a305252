import Effects
import Testing

@testable import Storage

@Suite struct DatabaseFilesTests {
  let directory: TemporaryDirectory
  var files: DatabaseFiles { DatabaseFiles(directory: directory.path, name: "a.sqlite3") }

  init() throws {
    directory = try TemporaryDirectory()
    for (name, content) in [("a.sqlite3", 1), ("a.sqlite3-wal", 2), ("a.sqlite3-shm", 3)] as [(String, UInt8)] {
      try directory.write(name, [content])
    }
  }

  @Test func quarantinesTheCompanionsToo() throws {
    #expect(try files.quarantine(atMilliseconds: 17) == "a.sqlite3.corrupt-17")
    #expect(
      try directory.names() == ["a.sqlite3.corrupt-17", "a.sqlite3.corrupt-17-wal", "a.sqlite3.corrupt-17-shm"])
    #expect(try directory.read("a.sqlite3.corrupt-17-wal") == [2])
  }

  @Test func neverOverwritesAnEarlierQuarantine() throws {
    try directory.write("a.sqlite3.corrupt-17", [9])
    #expect(try files.quarantine(atMilliseconds: 17) == "a.sqlite3.corrupt-17-2")
    #expect(try directory.read("a.sqlite3.corrupt-17") == [9])
  }

  @Test func keepsTheNewestQuarantinesOnly() throws {
    for name in ["a.sqlite3.corrupt-notes", "b.sqlite3.corrupt-1", "a.sqlite3.corrupt-1-2-3"] {
      try directory.write(name, [])
    }
    for time: Int64 in [900, 1000, 1000, 20, 3000, 4000] {
      for companion in ["", "-wal", "-shm"] { try directory.write("a.sqlite3" + companion, []) }
      _ = try files.quarantine(atMilliseconds: time)
    }
    let kept = try directory.names().filter { $0.hasPrefix("a.sqlite3.corrupt-") }
    let expected =
      ["1000", "1000-2", "3000", "4000", "900"].flatMap { ["\($0)", "\($0)-wal", "\($0)-shm"] } + ["1-2-3", "notes"]
    #expect(Set(kept) == Set(expected.map { "a.sqlite3.corrupt-\($0)" }))
    #expect(try directory.names().contains("b.sqlite3.corrupt-1"))
  }

  @Test func keepsTheNewDatabaseOfAClockThatWentBack() throws {
    for time: Int64 in [100, 200, 300, 400, 500, 600] {
      try directory.write("a.sqlite3", [UInt8(time / 100)])
      _ = try files.quarantine(atMilliseconds: time)
    }
    try directory.write("a.sqlite3", [9])
    #expect(try files.quarantine(atMilliseconds: 1) == "a.sqlite3.corrupt-1")
    #expect(try directory.read("a.sqlite3.corrupt-1") == [9])
  }

  @Test func replacesTheFileAndDropsItsOldLog() throws {
    try directory.write("b.sqlite3", [7])
    let before = files.identity
    try files.replace(by: DatabaseFiles(directory: directory.path, name: "b.sqlite3"))
    #expect(try directory.names() == ["a.sqlite3"])
    #expect(try directory.read("a.sqlite3") == [7])
    #expect(files.identity != before)
  }

  @Test func removesAllOfItAndNothingElse() throws {
    try directory.write("other", [])
    try files.remove()
    try files.remove()
    #expect(try directory.names() == ["other"])
    #expect(files.identity == nil)
  }
}
