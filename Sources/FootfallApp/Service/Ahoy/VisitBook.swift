import AhoyTracker
import Effects

/// The visits that events in the queue may mention: a server that sees an event before its visit makes a bare one of it,
/// so that each is registered with what it was begun with.
struct VisitBook: Sendable {
  /// The newest last.
  private(set) var records: [VisitRecord] = []

  /// So many are kept: more than a week of visits of four hours. An event of an older one is sent with a visit that
  /// tells of the program alone.
  static let limit = 64

  /// The visit of the moment, if it has not ended.
  var current: VisitRecord? { records.last }

  subscript(visit token: String) -> VisitRecord? { records.last { $0.tokens.visit == token } }

  /// Adds the record as the newest, or replaces that of the same visit.
  mutating func keep(_ record: VisitRecord) {
    if let index = records.lastIndex(where: { $0.tokens.visit == record.tokens.visit }) {
      records[index] = record
    } else {
      records.append(record)
      if records.count > Self.limit { records.removeFirst(records.count - Self.limit) }
    }
  }

  /// Adds the record of a visit that has ended before all others.
  mutating func keepOld(_ record: VisitRecord) {
    guard self[visit: record.tokens.visit] == nil else { return keep(record) }
    records.insert(record, at: 0)
    // The place of the first, and not of the current one.
    if records.count > Self.limit { records.remove(at: 1) }
  }

  init() {}

  /// Reads the stored form; what cannot be read is left out.
  init(stored bytes: [UInt8]) {
    guard let value = try? JSONReader().value(bytes), let elements = value.array else { return }
    records = elements.compactMap { element in
      var writer = JSONWriter()
      writer.write(element)
      return VisitRecord(stored: writer.bytes)
    }.suffix(Self.limit)
  }

  /// The stored form.
  var bytes: [UInt8] {
    Array("[".utf8) + records.map(\.bytes).joined(separator: Array(",".utf8)) + Array("]".utf8)
  }
}

/// Where visits and the attached user lie between runs.
struct VisitMemory: Sendable {
  private static let bookKey = "ahoy-visits"
  private static let userKey = "ahoy-user"
  private let store: any KeyValueStore
  private let log: ServiceLog

  init(_ store: any KeyValueStore, _ log: ServiceLog) {
    self.store = store
    self.log = log
  }

  func load() -> (book: VisitBook, userID: String?) {
    do throws(StoreError) {
      let book = try store.value(forKey: Self.bookKey).map(VisitBook.init(stored:)) ?? VisitBook()
      let user = try store.value(forKey: Self.userKey).map { String(decoding: $0, as: UTF8.self) }
      return (book, user)
    } catch {
      log.error("the visits cannot be read: a new one begins", ["reason": error.description])
      return (VisitBook(), nil)
    }
  }

  /// Stores the visits. Without it a restart begins a new one, which is the worst that follows.
  func save(_ book: VisitBook) {
    do throws(StoreError) {
      try store.set(book.bytes, forKey: Self.bookKey)
    } catch {
      log.error("the visits cannot be stored: a restart would begin a new one", ["reason": error.description])
    }
  }

  func save(userID: String?) throws(StoreError) {
    if let userID {
      try store.set(Array(userID.utf8), forKey: Self.userKey)
    } else {
      try store.removeValue(forKey: Self.userKey)
    }
  }
}
