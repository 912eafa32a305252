import Effects
import Testing

@testable import Storage

@Suite struct FileKeyValueStoreTests {
  let directory: TemporaryDirectory
  let store: FileKeyValueStore

  init() throws {
    directory = try TemporaryDirectory()
    store = try FileKeyValueStore(directory: directory.path + "/values")
  }

  @Test func keepsValues() throws {
    try store.set([1, 2, 10, 13, 0], forKey: "visitor")
    try store.set([], forKey: "empty")
    let again = try FileKeyValueStore(directory: directory.path + "/values")
    #expect(try again.value(forKey: "visitor") == [1, 2, 10, 13, 0])
    #expect(try again.value(forKey: "empty") == [])
    #expect(try again.value(forKey: "other") == nil)
    try again.set([7], forKey: "visitor")
    #expect(try store.value(forKey: "visitor") == [7])
    try store.removeValue(forKey: "visitor")
    try store.removeValue(forKey: "visitor")
    #expect(try store.value(forKey: "visitor") == nil)
  }

  @Test func createsPrivateFilesAndLeavesNoTemporaryOne() throws {
    try store.set([1], forKey: "a")
    try store.set([2], forKey: "a")
    #expect(try directory.mode("values") == 0o700)
    #expect(try directory.mode("values/a.value") == 0o600)
    #expect(try directory.names() == ["values"])
    #expect(Array(try directory.read("values/a.value").suffix(1)) == [2])
  }

  @Test(arguments: ["../escape", "a/b", ".", "..", "ü", "a.value", "with space", "%41", "A", "\u{0}"])
  func keepsEveryKeyApartAndInside(key: String) throws {
    try store.set(Array(key.utf8), forKey: key)
    try store.set([0], forKey: "a")
    #expect(try store.value(forKey: key) == Array(key.utf8))
    #expect(try directory.names() == ["values"])
  }

  @Test(arguments: ["", String(repeating: "k", count: 201), String(repeating: "ü", count: 34)])
  func refusesKeysThatNoFileCanHave(key: String) {
    #expect(throws: StoreError(.denied, "")) { try store.set([1], forKey: key) }
  }

  @Test func reportsDamageUntilTheValueIsSetAgain() throws {
    try store.set(Array("a visitor record".utf8), forKey: "a")
    let original = try directory.read("values/a.value")
    for position in original.indices {
      var flipped = original
      flipped[position] ^= 0x04
      try directory.write("values/a.value", flipped)
      #expect(throws: StoreError(.corrupt, "")) { _ = try store.value(forKey: "a") }
    }
    for length in 0..<original.count {
      try directory.write("values/a.value", Array(original[..<length]))
      #expect(throws: StoreError(.corrupt, "")) { _ = try store.value(forKey: "a") }
    }
    try store.set([1], forKey: "a")
    #expect(try store.value(forKey: "a") == [1])
  }

  @Test func reportsAValueOfAnotherKeyAsDamaged() throws {
    try store.set([1], forKey: "a")
    try directory.write("values/b.value", try directory.read("values/a.value"))
    #expect(throws: StoreError(.corrupt, "")) { _ = try store.value(forKey: "b") }
  }

  @Test func saysWhenTheDirectoryIsNone() throws {
    try directory.write("file", [])
    #expect(throws: StoreError(.inputOutput, "")) { _ = try FileKeyValueStore(directory: directory.path + "/file/x") }
  }
}
