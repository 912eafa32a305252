import AhoyTracker
import Effects
import Testing

@Suite struct VisitLedgerTests {
  static func record(_ visit: String, at milliseconds: Int64 = 1, registeredAt: String? = nil) -> VisitRecord {
    VisitRecord(
      tokens: VisitTokens(visit: visit, visitor: "v"), createdAtMilliseconds: milliseconds,
      fields: [JSONMember("utm_source", "s")], registeredAt: registeredAt)
  }

  static func ledger(_ records: VisitRecord...) -> VisitLedger {
    var ledger = VisitLedger()
    for record in records { ledger.keep(record) }
    return ledger
  }

  @Test func comesBackAsItWasStored() {
    let ledger = Self.ledger(Self.record("one", registeredAt: "b"), Self.record("two"))
    #expect(VisitLedger(stored: ledger.bytes) == ledger)
    #expect(VisitLedger(stored: VisitLedger().bytes) == VisitLedger())
    #expect(ledger.latest == Self.record("two"))
    #expect(ledger["one"] == Self.record("one", registeredAt: "b"))
    #expect(ledger["three"] == nil)
  }

  @Test(arguments: ["", "{}", "null", #"{"v":2,"visits":[]}"#, #"{"v":1,"visits":{}}"#, #"{"v":1,"visits":[]"#])
  func readsNothingElse(_ text: String) {
    #expect(VisitLedger(stored: Array(text.utf8)) == nil)
  }

  @Test func losesOnlyTheRecordThatIsDamaged() {
    let text =
      #"{"v":1,"visits":[{"v":1,"visit":"a b","visitor":"v","createdAtMs":1,"fields":{}},"#
      + #"{"v":1,"visit":"one","visitor":"v","createdAtMs":1,"fields":{"utm_source":"s"}},7]}"#
    #expect(VisitLedger(stored: Array(text.utf8)) == Self.ledger(Self.record("one")))
  }

  @Test func replacesAVisitInItsPlace() {
    var ledger = Self.ledger(Self.record("one"), Self.record("two"))
    ledger.keep(Self.record("one", registeredAt: "b"))
    #expect(ledger.records == [Self.record("one", registeredAt: "b"), Self.record("two")])
  }

  @Test func findsTheVisitThatEndedBeforeItWasRegistered() {
    var ledger = Self.ledger(Self.record("one", registeredAt: "b"), Self.record("two"), Self.record("three"))
    #expect(ledger.overdue(at: "b") == Self.record("two"))
    #expect(ledger.overdue(at: "other")?.tokens.visit == "one")
    let news = ["two", "two", "unknown"].map { ledger.confirm($0, by: "b") }
    #expect(news == [true, false, false])
    #expect(ledger["two"]?.isRegistered(at: "b") == true)
    #expect(ledger.overdue(at: "b") == nil)
    #expect(VisitLedger().overdue(at: "b") == nil)
  }

  @Test func dropsWhatIsConfirmedFirst() {
    var ledger = Self.ledger(Self.record("unconfirmed"), Self.record("confirmed", registeredAt: "b"))
    for number in 2..<VisitLedger.capacity { ledger.keep(Self.record("\(number)")) }
    #expect(ledger.records.count == VisitLedger.capacity)
    ledger.keep(Self.record("next"))
    #expect(ledger["confirmed"] == nil)
    #expect(ledger["unconfirmed"] != nil)
    ledger.keep(Self.record("last"))
    #expect(ledger["unconfirmed"] == nil)
    #expect(ledger.records.count == VisitLedger.capacity)
    #expect(ledger.latest == Self.record("last"))
  }

  /// What the owner of a machine does across an outage of two visits and a restart.
  @Test func goesOnWithTheMachine() {
    let backend = VisitVectors.backend
    var ledger = VisitLedger()
    func begin(_ visit: String, at now: Int64) -> VisitMachine {
      var machine = VisitMachine(backend: backend, windowMilliseconds: VisitVectors.window, record: ledger.latest)
      if case .waiting(_, let actions) = machine.ensure(VisitTokens(visit: visit, visitor: "v"), fields: [], at: now) {
        for case .persist(let record) in actions { ledger.keep(record) }
      }
      return machine
    }
    _ = begin("one", at: VisitVectors.start)
    let later = VisitVectors.start + VisitVectors.window
    var machine = begin("two", at: later)
    #expect(ledger.records.map(\.tokens.visit) == ["one", "two"])
    #expect(ledger.overdue(at: backend)?.tokens.visit == "one")
    guard let attempt = machine.inFlight else {
      Issue.record("nothing is being registered")
      return
    }
    for case .persist(let record) in machine.answered(attempt, .registered) { ledger.keep(record) }
    #expect(ledger.latest?.isRegistered(at: backend) == true)
    let restarted = VisitMachine(
      backend: backend, windowMilliseconds: VisitVectors.window, record: VisitLedger(stored: ledger.bytes)?.latest)
    #expect(restarted.confirmed(at: later)?.tokens.visit == "two")
  }
}
