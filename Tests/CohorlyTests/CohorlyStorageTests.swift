import CohorlyTracker
import Effects
import Foundation
import Testing

@testable import Cohorly

@Suite struct CohorlyStorageTests {
  static func directory() -> String { NSTemporaryDirectory() + "footfall-cohorly-" + UUID().uuidString }

  @Test func keepsTextsInADirectoryOfItsOwner() throws {
    let directory = Self.directory()
    defer { do { try FileManager.default.removeItem(atPath: directory) } catch { Issue.record(error) } }
    do {
      let storage = try CohorlyFileStorage(directory: directory)
      try storage.set("ü", forKey: "a")
      try storage.set("2", forKey: "b")
      try storage.set("3", forKey: "c")
      try storage.removeValues(forKeys: ["b", "never there"])
      try storage.removeValues(forKeys: [])
      #expect(storage.ownsQueue)
    }
    let storage = try CohorlyFileStorage(directory: directory)
    #expect(try ["a", "b", "c"].map { try storage.string(forKey: $0) } == ["ü", nil, "3"])
    let mode = try FileManager.default.attributesOfItem(atPath: directory)[.posixPermissions] as? Int
    #expect(mode == 0o700)
  }

  @Test func sharesItsDirectoryButNotItsQueue() async throws {
    let directory = Self.directory()
    defer { do { try FileManager.default.removeItem(atPath: directory) } catch { Issue.record(error) } }
    let server = try CohorlyServer()
    func client(_ storage: CohorlyFileStorage) -> Cohorly {
      Cohorly(
        endpoint: .init(apiHost: server.url), storage: storage, flags: .init(loads: false), seams: Cohorly.Seams())
    }
    let first = client(try CohorlyFileStorage(directory: directory))
    let second = client(try CohorlyFileStorage(directory: directory))
    #expect(first.currentDistinctId == second.currentDistinctId)
    first.track("of the first")
    second.track("of the second")
    await second.flush()
    #expect(try server.events.map { $0["event"] } == ["of the second"])
    await first.flush()
    #expect(try server.events.count == 2)
  }

  @Test func saysWhyADirectoryCannotBeUsed() {
    #expect(throws: StoreError.self) { try CohorlyFileStorage(directory: "/dev/null/below") }
  }
}
