import Effects
import ProxyCore
import RuleEngines
import TestKit
import Testing
import URLRules

@testable import Recording

@Suite struct ExchangeEncoderTests {
  private func snapshot(_ names: [String], visitorID: String?, generation: Int) throws -> InjectionSnapshot {
    let rules = names.map { RuleDefinition(name: $0, matchers: [.prefix("http://h/")], effects: .visitorID) }
    let compiled = RuleSet.compile(rules, patterns: PCRE2PatternEngine(), hostNames: IDNA2008HostNameEncoder())
    let injection = try #require(InjectionSnapshot.Injection(effect: .visitorID, name: "x-visitor-id", value: "v"))
    return InjectionSnapshot(
      settings: ProxySettings(), rules: compiled.rules, injections: [injection], visitorID: visitorID,
      validity: 0..<Int64.max, generation: generation)
  }

  private func append(
    _ entry: RecordBatch.Entry, _ method: String, _ url: String, _ rules: [Int32], user: String,
    _ snapshot: InjectionSnapshot, to batch: inout RecordBatch
  ) {
    Array(method.utf8).withUnsafeBufferPointer { method in
      Array(url.utf8).withUnsafeBufferPointer { url in
        batch.append(
          entry, method: method, url: url, rules: rules, moreRules: [], user: Array(user.utf8), snapshot: snapshot)
      }
    }
  }

  /// The payloads of the batch with their ids and times.
  private func events(_ batch: EventBatch) -> [(id: String, time: Int64, json: [UInt8])] {
    var offset = 0
    return batch.entries.map { entry in
      defer { offset += entry.length }
      let id = offset..<offset + Int(entry.idLength)
      return (
        String(decoding: batch.bytes[id], as: UTF8.self), entry.timeMilliseconds,
        Array(batch.bytes[id.upperBound..<offset + entry.length])
      )
    }
  }

  @Test func tellsWhichFlagsDecidedAndLeavesOutRulesThatTheyTurnedOff() throws {
    let plain = try snapshot(["a", "b", "c"], visitorID: nil, generation: 1)
    func gated(_ gates: [GateDecision]) -> InjectionSnapshot {
      InjectionSnapshot(
        settings: plain.settings, rules: plain.rules, injections: plain.injections, visitorID: nil,
        eventMembers: Array(#","ahoy":{}"#.utf8), gates: gates, validity: plain.validity, generation: 2)
    }
    let gates = [
      GateDecision(
        rule: 1, ruleName: "b", flag: "copy\"", value: Array(#""blue""#.utf8), label: "blue", isOpen: true, reading: 1),
      GateDecision(
        rule: 2, ruleName: "c", flag: "new", value: Array("false".utf8), label: "false", isOpen: false, reading: 1),
    ]
    var encoder = ExchangeEncoder()
    var asked: [AskedGates] = []
    func json(_ rules: [Int32], _ snapshot: InjectionSnapshot, times: Int = 1) -> String {
      var batch = RecordBatch()
      for number in 0..<times {
        var entry = RecordBatch.Entry()
        entry.startedAtMilliseconds = 1_000 + Int64(number)
        append(entry, "GET", "http://h/", rules, user: "", snapshot, to: &batch)
      }
      var events = EventBatch()
      encoder.encode(batch, with: SystemTokens(), into: &events) { asked.append($0) }
      return String(decoding: self.events(events)[0].json, as: UTF8.self)
    }
    let both = gated(gates)
    #expect(
      json([0, 1, 2], both, times: 3)
        .contains(#""rules":["a","b"],"injected":[],"flags":{"copy\"":"blue","new":false},"ahoy":{}"#))
    #expect(asked == [AskedGates(decisions: gates, firstMilliseconds: 1_000, exchanges: 3)])
    // The same again, in another batch.
    #expect(json([0, 1, 2], both).contains(#""flags":{"copy\"":"blue","new":false}"#))
    #expect(asked.last == AskedGates(decisions: gates, firstMilliseconds: 1_000, exchanges: 1))
    #expect(json([0, 2], both).contains(#""rules":["a"],"injected":[],"flags":{"new":false}"#))
    #expect(asked.last?.decisions == [gates[1]])
    // A rule whose flag nobody asked says nothing.
    #expect(!json([0], both).contains("flags") && asked.count == 3)
    #expect(!json([0, 1, 2], plain).contains("flags") && asked.count == 3)
  }

  /// What it remembers of the exchange before must never show in the one after.
  @Test func encodesEachExchangeAsItsRecord() throws {
    var generator = SeededGenerator(seed: 11)
    let snapshots = [
      try snapshot(["a", "b", "c"], visitorID: "v1", generation: 1),
      try snapshot(["a", "b", "c"], visitorID: "v2", generation: 2),
      try snapshot(["z\""], visitorID: nil, generation: 3),
    ]
    var encoder = ExchangeEncoder()
    let tokens = SystemTokens()
    for _ in 0..<50 {
      var batch = RecordBatch()
      for _ in 0..<20 {
        var entry = RecordBatch.Entry()
        entry.startedAtMilliseconds =
          [0, -1, 999, 1000, 1_795_937_155_999, 1_795_937_156_000, .min, .max]
          .randomElement(using: &generator) ?? 0
        entry.startedAtMilliseconds &+= Int64.random(in: 0...3, using: &generator)
        entry.mode = [.forward, .tunnel, .local].randomElement(using: &generator) ?? .forward
        entry.status = UInt16.random(in: 0...599, using: &generator)
        entry.durationMicroseconds = Int64.random(in: 0...1 << 40, using: &generator)
        entry.connectMicroseconds = Int64.random(in: -1...1, using: &generator)
        entry.firstByteMicroseconds = Int64.random(in: -1...1, using: &generator)
        entry.effects = Bool.random(using: &generator) ? RuleEffects.visitorID.rawValue : 0
        entry.error = Bool.random(using: &generator) ? .nameNotFound : nil
        let long = String(repeating: "long/", count: Int.random(in: 0...400, using: &generator))
        append(
          entry, "GET", "http://h/\(long)\u{2028}\"",
          [[], [0], [1, 0], [2, 2]].randomElement(using: &generator) ?? [],
          user: Bool.random(using: &generator) ? "us\\er" : "",
          snapshots.randomElement(using: &generator) ?? snapshots[0], to: &batch)
      }
      var encoded = EventBatch()
      encoder.encode(batch, with: tokens, into: &encoded)
      let events = events(encoded)
      let records = batch.records()
      try #require(events.count == records.count)
      for (event, record) in zip(events, records) {
        #expect(UUIDText.isLowercaseUUID(event.id))
        #expect(event.time == record.startedAtMilliseconds)
        let expected = ExchangeEvent(id: event.id, record: record).json
        #expect(String(decoding: event.json, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
      }
      #expect(Set(events.map(\.id)).count == events.count)
    }
  }

  private struct SystemTokens: TokenSource {
    func sixteenBytes() -> (UInt64, UInt64) { (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)) }
  }
}
