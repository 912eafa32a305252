package import Effects
package import ProxyCore

/// Makes events of finished exchanges, straight from the block that a worker handed over.
///
/// What rarely changes from one exchange to the next is kept as written: the names of the rules and of the injected
/// fields, the visitor id, and the second.
package struct ExchangeEncoder: Sendable {
  private var names = RecordNames()
  /// The members that are made of the names and the visitor id, each with the comma in front of it.
  private var nameMembers: [UInt8] = []
  private var moment = MomentText()
  private var line: [UInt8] = []

  package init() {}

  /// Adds the events of the exchanges to the batch, each with a new id, a UUID of version 7.
  ///
  /// - Parameter asked: Told of flags that decided about rules, once for exchanges in a row about which they decided alike.
  package mutating func encode(
    _ exchanges: RecordBatch, with tokens: some TokenSource, into events: inout EventBatch,
    asked: (AskedGates) -> Void = { _ in }
  ) {
    var run: AskedGates?
    exchanges.forEach { item in
      let entry = item.entry
      if names.look(at: item) || nameMembers.isEmpty {
        if let run { asked(run) }
        run = nil
        nameMembers =
          Self.members(names.rules, names.injected, item.snapshot.visitorID) + Self.members(names.gates)
          + item.snapshot.eventMembers
      }
      if !names.gates.isEmpty {
        var longer =
          run
          ?? AskedGates(decisions: names.gates, firstMilliseconds: entry.startedAtMilliseconds, exchanges: 0)
        longer.exchanges &+= 1
        run = longer
      }
      let id = tokens.uuidVersion7Bytes(millisecondsSinceEpoch: entry.startedAtMilliseconds)
      moment.set(millisecondsSinceEpoch: entry.startedAtMilliseconds)
      let length = JSONLine.write(into: &line) { line in
        line.writeExchange(
          id: id, moment: moment.bytes, entry, method: item.method, url: item.url, user: item.user,
          nameMembers: nameMembers, error: entry.error?.code)
      }
      events.append(id: id, timeMilliseconds: entry.startedAtMilliseconds, payload: line[..<length])
    }
    if let run { asked(run) }
  }

  /// The flags that decided, each with its value.
  private static func members(_ gates: [GateDecision]) -> [UInt8] {
    guard !gates.isEmpty else { return [] }
    var object: [UInt8] = []
    var seen: Set<String> = []
    for gate in gates where seen.insert(gate.flag).inserted {
      var writer = JSONWriter()
      writer.write(string: gate.flag)
      object +=
        [object.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ",")] + writer.bytes + [UInt8(ascii: ":")] + gate.value
    }
    return Array(#","flags":"#.utf8) + object + [UInt8(ascii: "}")]
  }

  fileprivate static func members(_ rules: [String], _ injected: [String], _ visitorID: String?) -> [UInt8] {
    let object = JSONLine.bytes { line in
      line.member("rules", rules)
      line.member("injected", injected)
      if let visitorID { line.member("visitorID", plain: visitorID) }
    }
    return [UInt8(ascii: ",")] + object.dropFirst()
  }
}

extension ExchangeEvent {
  /// The event as one line of JSON.
  package var json: [UInt8] {
    var entry = RecordBatch.Entry()
    entry.startedAtMilliseconds = record.startedAtMilliseconds
    entry.mode = record.mode
    entry.status = UInt16(clamping: record.status)
    entry.requestBytes = record.requestBytes
    entry.responseBytes = record.responseBytes
    entry.durationMicroseconds = record.durationMicroseconds
    entry.connectMicroseconds = record.connectMicroseconds ?? -1
    entry.firstByteMicroseconds = record.firstByteMicroseconds ?? -1
    entry.reusedConnection = record.reusedConnection
    var moment = MomentText()
    moment.set(millisecondsSinceEpoch: record.startedAtMilliseconds)
    let nameMembers = ExchangeEncoder.members(record.rules, record.injected, record.visitorID)
    return Array(record.method.utf8).withUnsafeBytes { method in
      Array(record.url.utf8).withUnsafeBytes { url in
        Array((record.user ?? "").utf8).withUnsafeBytes { user in
          JSONLine.bytes { line in
            line.writeExchange(
              id: Array(id.utf8), moment: moment.bytes, entry, method: method, url: url, user: user,
              nameMembers: nameMembers, error: record.errorCode)
          }
        }
      }
    }
  }
}

extension JSONLine {
  /// Writes the members of an exchange and closes the object. Members without a value are left out; `status` is null
  /// when none was sent.
  fileprivate mutating func writeExchange(
    id: [UInt8], moment: [UInt8], _ entry: RecordBatch.Entry, method: UnsafeRawBufferPointer,
    url: UnsafeRawBufferPointer, user: UnsafeRawBufferPointer, nameMembers: [UInt8], error: String?
  ) {
    member("event", plain: ExchangeEvent.name)
    member("id", plain: id)
    member("time", plain: moment)
    member("mode", plain: entry.mode.name)
    member("method", method)
    member("url", url)
    if !user.isEmpty { member("user", user) }
    if entry.status == 0 { memberNull("status") } else { member("status", Int64(entry.status)) }
    member("requestBytes", entry.requestBytes)
    member("responseBytes", entry.responseBytes)
    member("durationMs", durationMicroseconds: entry.durationMicroseconds)
    if entry.connectMicroseconds >= 0 { member("connectMs", durationMicroseconds: entry.connectMicroseconds) }
    if entry.firstByteMicroseconds >= 0 { member("firstByteMs", durationMicroseconds: entry.firstByteMicroseconds) }
    member("reusedConnection", entry.reusedConnection)
    members(nameMembers)
    if let error { member("error", plain: error) }
    close()
  }
}

/// A moment as RFC 3339 text; what the moments of one second share is written once.
private struct MomentText: Sendable {
  private var second: Int64?
  private(set) var bytes: [UInt8] = []

  mutating func set(millisecondsSinceEpoch moment: Int64) {
    let (second, part) = moment.quotientAndRemainder(dividingBy: 1000)
    guard second == self.second, part >= 0, bytes.count == 24 else {
      // Before 1970 the parts are negative, and what cannot be represented is written as something else.
      self.second = moment >= 0 && Timestamp.representable.contains(moment) ? second : nil
      bytes.removeAll(keepingCapacity: true)
      return Timestamp.append(millisecondsSinceEpoch: moment, to: &bytes)
    }
    bytes[20] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: part / 100)
    bytes[21] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: part / 10 % 10)
    bytes[22] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: part % 10)
  }
}
