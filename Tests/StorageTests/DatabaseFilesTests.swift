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
