import Effects
import Foundation
import Synchronization

@testable import Storage

/// A directory of its own for one test, removed with the object.
final class TemporaryDirectory: Sendable {
  let path: String

  /// - Parameter inMemory: where a sync costs nothing, for tests with thousands of databases.
  init(inMemory: Bool = false) throws {
    let shared = "/dev/shm/"
    let isUsable = inMemory && FileManager.default.isWritableFile(atPath: shared)
    path = (isUsable ? shared : NSTemporaryDirectory()) + "footfall-storage-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("left behind: \(path): \(error)")
    }
  }

  /// The names in the directory.
  func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: path)) }

  /// The permission bits of a file in the directory.
  func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
  }

  func read(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
  }
}

/// A row that can be told from every other one, of about the size of a real event.
func row(_ number: Int, bytes: Int = 200) -> EventRow {
  let padding = String(repeating: "x", count: max(0, bytes - 40))
  return EventRow(
    id: "id-\(number)", timeMilliseconds: 1_700_000_000_000 + Int64(number),
    payload: Array(#"{"number":\#(number),"padding":"\#(padding)"}"#.utf8))
}

/// Events in the directory, read as another process would.
func storedEvents(_ directory: TemporaryDirectory) throws -> [StoredEvent] {
  var reader = EventReader(directory: directory.path)
  return try reader.read(afterSequence: 0, limit: .max).events
}

/// What `PRAGMA integrity_check` says of the event database.
func integrity(_ directory: TemporaryDirectory, _ name: String = EventFile.name) throws -> String {
  try SQLiteConnection(path: "\(directory.path)/\(name)", access: .readWrite).text("PRAGMA integrity_check")
}

/// Options under which a test does not wait for pauses.
func quickOptions() -> EventDatabaseOptions {
  var options = EventDatabaseOptions()
  options.retryMilliseconds = 1...4
  return options
}

/// What an event database reported, in order.
final class IncidentLog: Sendable {
  private let entries = Mutex<[String]>([])

  var names: [String] { entries.withLock { $0 } }

  func add(_ incident: EventDatabaseIncident) {
    entries.withLock { entries in
      switch incident {
      case .quarantined: entries.append("quarantined")
      case .failing: entries.append("failing")
      case .recovered: entries.append("recovered")
      }
    }
  }
}

extension EventBatch {
  init(_ rows: [EventRow]) {
    self.init()
    for row in rows { append(id: row.id.utf8, timeMilliseconds: row.timeMilliseconds, payload: row.payload) }
  }

  var rows: [EventRow] {
    var offset = 0
    return entries.map { entry in
      defer { offset += entry.length }
      let id = offset..<offset + Int(entry.idLength)
      return EventRow(
        id: String(decoding: bytes[id], as: UTF8.self), timeMilliseconds: entry.timeMilliseconds,
        payload: Array(bytes[id.upperBound..<offset + entry.length]))
    }
  }
}

extension EventFile {
  func insert(_ rows: [EventRow]) throws(SQLiteFailure) -> Int64 { try insert(EventBatch(rows)) }
}
