import Effects
import Foundation
import ProxyConfiguration
import ProxyCore
import Recording
import TestKit
import Testing
import VisitorID

@testable import FootfallApp
@testable import Storage

@Suite struct ServicePartsTests {
  let directory: ScratchDirectory
  private let kept = KeptLines()

  init() throws { directory = try ScratchDirectory() }

  private var log: ServiceLog {
    let kept = kept
    return ServiceLog(level: .debug, clock: ManualClock()) { kept.add($0) }
  }

  private func withParts(_ configuration: Configuration, _ body: (ServiceParts) throws -> Void) throws {
    let parts = try ServiceParts(configuration, stateDirectory: directory.file("state"), log: log)
    defer {
      parts.recorder.stop()
      parts.events?.close()
      parts.recorder.log?.close()
      parts.state?.close()
    }
    try body(parts)
  }

  private func configuration(accessFile: Configuration.Log.AccessFile) -> Configuration {
    var configuration = Configuration()
    configuration.log.accessFile = accessFile
    return configuration
  }

  private func configuration(visitorID: Configuration.VisitorIDFeature) -> Configuration {
    var configuration = Configuration()
    configuration.visitorID = visitorID
    return configuration
  }

  private var enabled: Configuration {
    var feature = Configuration.VisitorID()
    feature.header = "x-visitor-id"
    return configuration(visitorID: .enabled(feature, degraded: []))
  }

  @Test func makesTheDirectoryAndItsDatabases() throws {
    try withParts(Configuration()) { parts in
      #expect(parts.stateDirectory == directory.file("state"))
      #expect(parts.recorder.log == nil)
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.file("state"))
      #expect(Set(names).isSuperset(of: ["lock", "events.sqlite3", "state.sqlite3"]))
    }
  }

  @Test func recordsIntoTheDatabaseOfTheDirectory() throws {
    try withParts(configuration(accessFile: .path(directory.file("access")))) { parts in
      parts.recorder.record(recordBatch(["http://a.example/x"]))
    }
    var reader = EventReader(directory: directory.file("state"))
    #expect(try reader.read(afterSequence: 0, limit: 10).events.count == 1)
    #expect(try directory.text("access").contains(#""url.path":"/x""#))
  }

  @Test func keepsTheLimitsOfTheConfiguration() throws {
    var configuration = Configuration()
    configuration.events.maxRows = 3
    for round in 0..<4 {
      try withParts(configuration) { parts in
        parts.recorder.record(recordBatch((0..<5).map { "http://a.example/\(round)/\($0)" }))
      }
    }
    // What one transaction brings stays whole, so more than three may be left, but not all.
    var reader = EventReader(directory: directory.file("state"))
    let events = try reader.read(afterSequence: 0, limit: 100).events
    #expect((3...10).contains(events.count))
    #expect(try events.last.map { try ExchangeEvent(json: $0.row.payload) }?.record.url == "http://a.example/3/4")
  }

  @Test func asksToTryLaterWhileAnotherInstanceHasTheDirectory() throws {
    try withParts(Configuration()) { _ in
      let failure = #expect(throws: CommandFailure.self) { try withParts(Configuration()) { _ in } }
      #expect(failure?.code == .temporary)
      #expect(failure?.message?.contains(directory.file("state")) == true)
      #expect(failure?.hint?.contains("state.directory") == true)
    }
    try withParts(Configuration()) { _ in }
  }

  @Test func tellsADirectoryThatIsRefused() {
    let failure = #expect(throws: CommandFailure.self) {
      _ = try ServiceParts(Configuration(), stateDirectory: "", log: log)
    }
    #expect(failure?.code == .permission)
  }

  @Test(arguments: ["events", "state"])
  func tellsADirectoryOfANewerVersion(name: String) throws {
    try withParts(Configuration()) { _ in }
    try SQLiteConnection(path: directory.file("state/\(name).sqlite3"), access: .readWrite).execute(
      "PRAGMA user_version = 99; UPDATE meta SET value = 99")
    let failure = #expect(throws: CommandFailure.self) { try withParts(Configuration()) { _ in } }
    #expect(failure?.code == .dataError)
    #expect(failure?.message?.contains("a newer footfall") == true)
    #expect(failure?.message?.contains("schema 99") == true)
    #expect(failure?.hint?.contains("version") == true)
    #expect(failure?.hint?.contains("permissions") == false)
  }

  @Test func tellsADirectoryThatCannotBe() throws {
    try directory.write("file", "")
    let failure = #expect(throws: CommandFailure.self) {
      _ = try ServiceParts(Configuration(), stateDirectory: directory.file("file"), log: log)
    }
    #expect(failure?.code == .inputOutput)
    #expect(failure?.message?.contains(directory.file("file")) == true)
    #expect(failure?.message?.contains("io:") == false)
    #expect(failure?.hint?.contains("state.directory") == true)
  }

  @Test func setsADamagedDatabaseAsideAndSaysSo() throws {
    try withParts(Configuration()) { _ in }
    try directory.write("state/events.sqlite3", String(repeating: "no database ", count: 1_000))
    try withParts(Configuration()) { _ in }
    #expect(kept.lines.contains { $0.contains(" error the event database was damaged and set aside file=") })
  }

  @Test func opensTheAccessLog() throws {
    #expect(try ServiceParts.accessLog(configuration(accessFile: .none)) == nil)
    let file = try #require(try ServiceParts.accessLog(configuration(accessFile: .path(directory.file("log")))))
    file.write(Array("line\n".utf8))
    file.close()
    #expect(try directory.text("log") == "line\n")
    let standard = try #require(try ServiceParts.accessLog(configuration(accessFile: .standardOutput)))
    standard.close()
    #expect(!FileManager.default.fileExists(atPath: "-"), "it is no file of that name")
  }

  @Test func tellsAnAccessLogThatCannotBeOpenedAndFreesTheDirectory() throws {
    let path = directory.file("missing/log")
    let failure = #expect(throws: CommandFailure.self) {
      try withParts(configuration(accessFile: .path(path))) { _ in }
    }
    #expect(failure?.code == .cannotCreate)
    #expect(failure?.message?.components(separatedBy: path).count == 2, "the path once")
    #expect(failure?.hint?.contains("The directory \(directory.file("missing")) does not exist") == true)
    #expect(failure?.hint?.contains("log.accessFile") == true)
    try withParts(Configuration()) { _ in }
  }

  @Test func hasNoVisitorIDWhileTheFeatureIsOff() throws {
    try withParts(Configuration()) { parts in
      #expect(parts.visitorID(configuration(visitorID: .disabled)) == nil)
      #expect(parts.visitorID(configuration(visitorID: .invalid(reasons: []))) == nil)
      let state = try #require(parts.state)
      #expect(try state.value(forKey: "visitor-id") == nil)
    }
  }

  @Test func keepsTheVisitorIDInTheDirectory() throws {
    var first: String?
    try withParts(enabled) { parts in
      let visitorID = try #require(parts.visitorID(enabled))
      #expect(visitorID.header == "x-visitor-id")
      first = visitorID.current()
      #expect(visitorID.isPersisted)
    }
    try withParts(enabled) { parts in
      let visitorID = try #require(parts.visitorID(enabled))
      #expect(visitorID.current() == first)
    }
    #expect(UUIDText.isLowercaseUUID(first ?? ""))
  }

  @Test func goesOnWithAnIDThatCouldNotBeStored() throws {
    try withParts(enabled) { parts in
      let broken = MemoryKeyValueStore()
      broken.writeError = StoreError(.full, "no space")
      let previous = VisitorID(
        header: "x-visitor-id", ttlHours: 24, store: broken, clock: parts.clock, tokens: parts.tokens)
      let id = try #require(previous.current())
      let next = try #require(parts.visitorID(enabled, continuing: previous))
      #expect(next.current() == id)
    }
  }
}
