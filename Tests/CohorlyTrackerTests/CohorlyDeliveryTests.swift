import CohorlyTracker
import Effects
import EventPipeline
import Testing

/// What is cut out of a queue.
@Suite struct CohorlyDeliveryTests {
  static let delivery = CohorlyDelivery(endpoint: CohorlyEndpoint(apiHost: "http://s.test", token: "tok"))

  static func queued(_ number: Int64, _ record: CohorlyRecord) -> QueuedEvent {
    QueuedEvent(
      sequence: number, id: "\(number)", timeMilliseconds: 1,
      payload: record.stored(id: "\(number)", timeMilliseconds: 1))
  }

  static func queued(_ number: Int64, _ payload: String) -> QueuedEvent {
    QueuedEvent(sequence: number, id: "\(number)", timeMilliseconds: 1, payload: Array(payload.utf8))
  }

  static func event(_ name: String) -> CohorlyRecord {
    CohorlyRecord(path: .track, body: [JSONMember("event", .string(name)), JSONMember("properties", [:])])
  }

  static let operation = PeopleOperation.delete.record(distinctID: "u")
  static let alias = CohorlyAlias(alias: "a", distinctID: "u").record
  static let other = #"{"event":"proxy.request"}"#

  static func cut(_ events: [QueuedEvent]) -> (path: String, indices: [Int], isOnce: Bool)? {
    switch delivery.cut(events[...]) {
    case .request(let request, let indices): (String(request.url.dropFirst(14)), indices, false)
    case .once(let request, let indices): (String(request.url.dropFirst(14)), indices, true)
    default: nil
    }
  }

  @Test func takesARunOfOneKind() throws {
    let events = [
      Self.queued(1, Self.event("a")), Self.queued(2, Self.event("b")), Self.queued(3, Self.operation),
      Self.queued(4, Self.event("c")),
    ]
    let first = try #require(Self.cut(events))
    #expect(first.path == "track" && first.indices == [0, 1] && !first.isOnce)
    let second = try #require(Self.cut(Array(events.dropFirst(2))))
    #expect(second.path == "engage" && second.indices == [0])
  }

  @Test func triesAnAliasOnceAndAlone() throws {
    let cut = try #require(Self.cut([Self.queued(1, Self.alias), Self.queued(2, Self.alias)]))
    #expect(cut.path == "alias" && cut.indices == [0] && cut.isOnce)
  }

  @Test func skipsWhatIsOfAnotherKind() throws {
    let events = [Self.queued(1, Self.other), Self.queued(2, Self.other), Self.queued(3, Self.event("a"))]
    #expect(Self.delivery.cut(events[...]) == .skip([0, 1]))
    #expect(Self.delivery.cut(events[..<2]) == .skip([0, 1]))
    let mixed = [Self.queued(1, Self.event("a")), Self.queued(2, Self.other), Self.queued(3, Self.event("b"))]
    #expect(try #require(Self.cut(mixed)).indices == [0, 2])
  }

  @Test func givesUpWhatCannotBeRead() throws {
    for payload in ["{", #"{"kind":"cohorly"}"#] {
      let bad = Self.queued(2, payload)
      guard case .undeliverable(0, _) = Self.delivery.cut([bad, Self.queued(3, Self.event("a"))]) else {
        Issue.record("\(payload) is taken")
        continue
      }
      #expect(try #require(Self.cut([Self.queued(1, Self.event("a")), bad])).indices == [0])
      #expect(Self.delivery.cut([Self.queued(1, Self.other), bad]) == .skip([0]))
    }
  }

  @Test func waitsForNothing() { #expect(Self.delivery.cut([]) == .wait) }

  @Test func countsOffsetsFromTheStartOfTheSlice() throws {
    let events = [Self.queued(1, Self.operation), Self.queued(2, Self.event("a"))]
    guard case .request(_, let indices) = Self.delivery.cut(events[1...]) else {
      Issue.record("no request")
      return
    }
    #expect(indices == [0])
  }

  /// What recorded events are is for the program to say.
  @Test func asksWhatAnEventIs() throws {
    let delivery = CohorlyDelivery(
      endpoint: CohorlyEndpoint(apiHost: "http://s.test"), read: { .record(Self.event("made of \($0.id)")) })
    guard case .request(let request, _) = delivery.cut([Self.queued(7, Self.other)]) else {
      Issue.record("no request")
      return
    }
    #expect(try JSONReader().value(request.body).array?.first?["event"] == "made of 7")
  }
}
