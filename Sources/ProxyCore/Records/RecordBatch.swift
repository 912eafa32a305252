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

  /// The exchanges in the order in which they finished.
  package func records() -> [ExchangeRecord] {
    var result: [ExchangeRecord] = []
    result.reserveCapacity(count)
    var names = NameMemory()
    bytes.withUnsafeBytes { raw in
      var offset = 0
      // The block holds exactly what append wrote, so the lengths in it can be trusted.
      while offset < raw.count {
        let entry = raw.loadUnaligned(fromByteOffset: offset, as: Entry.self)
        offset += MemoryLayout<Entry>.size
        let method = offset..<offset + Int(entry.methodLength)
        let url = method.upperBound..<method.upperBound + Int(entry.urlLength)
        let user = url.upperBound..<url.upperBound + Int(entry.userLength)
        offset = user.upperBound + Int(entry.ruleCount) * 4
        let snapshot = snapshots[Int(entry.snapshot)]
        var record = ExchangeRecord()
        record.method = String(decoding: raw[method], as: UTF8.self)
        record.url = String(decoding: raw[url], as: UTF8.self)
        record.take(entry)
        names.look(
          for: entry, rules: UnsafeRawBufferPointer(rebasing: raw[user.upperBound..<offset]), in: snapshot)
        record.rules = names.rules
        record.injected = names.injected
        record.visitorID = snapshot.visitorID
        if !user.isEmpty { record.user = String(decoding: raw[user], as: UTF8.self) }
        result.append(record)
      }
    }
    return result
  }

  /// The names of rules and injected fields of the exchange before: most exchanges have the same.
  private struct NameMemory {
    var rules: [String] = []
    var injected: [String] = []
    private var ruleBytes: [UInt8] = []
    private var effects: UInt8?
    private var snapshot: InjectionSnapshot?

    mutating func look(for entry: Entry, rules raw: UnsafeRawBufferPointer, in snapshot: InjectionSnapshot) {
      let isSame = snapshot === self.snapshot
      if !isSame || !ruleBytes.elementsEqual(raw) {
        ruleBytes = [UInt8](raw)
        let indices = Set(
          (0..<raw.count / 4).map { Int(raw.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self)) })
        rules = indices.sorted().compactMap {
          $0 < snapshot.rules.names.count ? snapshot.rules.names[$0] : nil
        }
      }
      if !isSame || effects != entry.effects {
        effects = entry.effects
        injected = snapshot.injections.filter { entry.effects & $0.effect.rawValue != 0 }.map {
          String(decoding: $0.name, as: UTF8.self)
        }
      }
      self.snapshot = snapshot
    }
  }
}

extension ExchangeRecord {
  /// Takes over what the fixed part of a record holds.
  fileprivate mutating func take(_ entry: RecordBatch.Entry) {
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
