import URLRules

/// Finished exchanges of one worker in one block of bytes, so that recording allocates nothing per exchange; taken
/// apart on the thread that writes them down.
package struct RecordBatch: Sendable {
  /// The fixed part of one record.
  package struct Entry: Sendable, BitwiseCopyable {
    package var startedAtMilliseconds: Int64 = 0
    package var durationMicroseconds: Int64 = 0
    package var connectMicroseconds: Int64 = -1
    package var firstByteMicroseconds: Int64 = -1
    package var requestBytes: Int64 = 0
    package var responseBytes: Int64 = 0
    package var status: UInt16 = 0
    package var mode = ExchangeRecord.Mode.forward
    package var error: ProxyError?
    package var effects: UInt8 = 0
    package var reusedConnection = false
    fileprivate var snapshot: UInt32 = 0
    fileprivate var methodLength: UInt32 = 0
    fileprivate var urlLength: UInt32 = 0
    fileprivate var ruleCount: UInt32 = 0
    fileprivate var userLength: UInt32 = 0

    package init() {}
  }

  private var bytes: [UInt8] = []
  private var snapshots: [InjectionSnapshot] = []
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }
  /// The size of the block.
  package var byteCount: Int { bytes.count }

  /// Adds one exchange.
  package mutating func append(
    _ entry: Entry, method: UnsafeBufferPointer<UInt8>, url: UnsafeBufferPointer<UInt8>, rules: [Int32],
    moreRules: [Int32], user: [UInt8] = [], snapshot: InjectionSnapshot
  ) {
    if snapshots.last !== snapshot { snapshots.append(snapshot) }
    var entry = entry
    entry.snapshot = UInt32(snapshots.count - 1)
    entry.methodLength = UInt32(method.count)
    entry.urlLength = UInt32(url.count)
    entry.ruleCount = UInt32(rules.count + moreRules.count)
    entry.userLength = UInt32(user.count)
    withUnsafeBytes(of: entry) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: method)
    bytes.append(contentsOf: url)
    if !user.isEmpty { bytes.append(contentsOf: user) }
    if !rules.isEmpty { rules.withUnsafeBytes { bytes.append(contentsOf: $0) } }
    if !moreRules.isEmpty { moreRules.withUnsafeBytes { bytes.append(contentsOf: $0) } }
    count += 1
  }

  /// One exchange, in place: its bytes are there only while it is looked at.
  package struct Item {
    package let entry: Entry
    package let method: UnsafeRawBufferPointer
    package let url: UnsafeRawBufferPointer
    package let user: UnsafeRawBufferPointer
    /// The indices of the rules that matched, four bytes each; some may be there twice.
    package let rules: UnsafeRawBufferPointer
    package let snapshot: InjectionSnapshot
  }

  /// Looks at the exchanges in the order in which they finished.
  package func forEach(_ body: (Item) -> Void) {
    bytes.withUnsafeBytes { raw in
      var offset = 0
      func next(_ count: UInt32) -> UnsafeRawBufferPointer {
        defer { offset += Int(count) }
        return UnsafeRawBufferPointer(rebasing: raw[offset..<offset + Int(count)])
      }
      // The block holds exactly what append wrote, so the lengths in it can be trusted.
      while offset < raw.count {
        let entry = raw.loadUnaligned(fromByteOffset: offset, as: Entry.self)
        offset += MemoryLayout<Entry>.size
        body(
          Item(
            entry: entry, method: next(entry.methodLength), url: next(entry.urlLength), user: next(entry.userLength),
            rules: next(entry.ruleCount * 4), snapshot: snapshots[Int(entry.snapshot)]))
      }
    }
  }

  /// The exchanges in the order in which they finished.
  package func records() -> [ExchangeRecord] {
    var result: [ExchangeRecord] = []
    result.reserveCapacity(count)
    var names = RecordNames()
    forEach { item in
      names.look(at: item)
      result.append(ExchangeRecord(item, names))
    }
    return result
  }
}

/// The names of the rules and injected fields of an exchange. They are kept, because most exchanges have the same as the
/// one before.
package struct RecordNames: Sendable {
  /// The names of the rules that matched and applied, in the order of the configuration.
  package private(set) var rules: [String] = []
  /// The names of the fields that were injected.
  package private(set) var injected: [String] = []
  /// What flags decided about rules that matched, in the order of the rules.
  package private(set) var gates: [GateDecision] = []
  private var ruleBytes: [UInt8] = []
  private var effects: UInt8 = 0
  private var snapshot: InjectionSnapshot?

  package init() {}

  /// Takes the names of this exchange, and returns whether anything differs from those of the exchange before.
  @discardableResult
  package mutating func look(at item: RecordBatch.Item) -> Bool {
    guard item.snapshot !== snapshot || item.entry.effects != effects || !ruleBytes.elementsEqual(item.rules) else {
      return false
    }
    snapshot = item.snapshot
    effects = item.entry.effects
    ruleBytes = [UInt8](item.rules)
    let names = item.snapshot.rules.names
    let indices = Set(
      (0..<item.rules.count / 4).map { Int(item.rules.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self)) })
    gates = item.snapshot.gates.filter { indices.contains(Int($0.rule)) }
    let closed = Set(gates.lazy.filter { !$0.isOpen }.map { Int($0.rule) })
    rules = indices.subtracting(closed).sorted().compactMap { $0 < names.count ? names[$0] : nil }
    injected = item.snapshot.injections.filter { item.entry.effects & $0.effect.rawValue != 0 }.map {
      String(decoding: $0.name, as: UTF8.self)
    }
    return true
  }
}

extension ExchangeRecord {
  /// What the block holds of an exchange.
  fileprivate init(_ item: RecordBatch.Item, _ names: RecordNames) {
    self.init()
    let entry = item.entry
    method = String(decoding: item.method, as: UTF8.self)
    url = String(decoding: item.url, as: UTF8.self)
    if !item.user.isEmpty { user = String(decoding: item.user, as: UTF8.self) }
    rules = names.rules
    injected = names.injected
    visitorID = item.snapshot.visitorID
    startedAtMilliseconds = entry.startedAtMilliseconds
    mode = entry.mode
    status = Int(entry.status)
    errorCode = entry.error?.code
    durationMicroseconds = entry.durationMicroseconds
    connectMicroseconds = entry.connectMicroseconds < 0 ? nil : entry.connectMicroseconds
    firstByteMicroseconds = entry.firstByteMicroseconds < 0 ? nil : entry.firstByteMicroseconds
    requestBytes = entry.requestBytes
    responseBytes = entry.responseBytes
    reusedConnection = entry.reusedConnection
  }
}
