package import Effects

/// What a server takes in one request of events. Beyond the first, events are ignored with a 200; beyond the second, the
/// answer is 413 (contract, facts 2 and 3).
package struct EventLimits: Sendable, Hashable {
  package var maximumEvents: Int
  package var maximumBytes: Int

  /// The gem's defaults.
  package init(maximumEvents: Int = 10, maximumBytes: Int = 8192) {
    self.maximumEvents = maximumEvents
    self.maximumBytes = maximumBytes
  }
}

/// The body of `POST events` (contract, section 2.2): events of one visit, and of the visit what a server needs that has
/// not seen it yet (fact 8).
package struct EventsRequest: Sendable, Hashable {
  package let tokens: VisitTokens
  package let events: [PreparedEvent]
  /// Sorted by name; only such that the gem stores of a visit.
  package let fields: [JSONMember]

  package init(tokens: VisitTokens, events: [PreparedEvent], fields: [JSONMember] = []) {
    self.tokens = tokens
    self.events = events
    self.fields = Self.carried(fields)
  }

  /// The JSON text, keys in ascending order.
  package var body: [UInt8] {
    let (before, after) = Self.frame(tokens, fields)
    var bytes = before
    bytes.reserveCapacity(before.count &+ after.count &+ events.reduce(0) { $0 &+ $1.json.count &+ 1 })
    for (index, event) in events.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(contentsOf: event.json)
    }
    bytes.append(contentsOf: after)
    return bytes
  }

  /// How many of some events go into one request.
  package struct Fit: Sendable, Hashable {
    /// The number of events, from the first; 0 when there is none, or when the first can never be delivered.
    package let count: Int
    /// Whether the visit's fields have room beside them. They are left out rather than an event.
    package let hasFields: Bool
  }

  /// How many of the events, from the first, one request holds.
  package static func fit(
    _ events: some Sequence<PreparedEvent>, tokens: VisitTokens, fields: [JSONMember] = [],
    limits: EventLimits = EventLimits()
  ) -> Fit {
    let lengths = events.prefix(max(0, limits.maximumEvents)).map(\.json.count)
    let carried = carried(fields)
    let full = count(lengths, within: limits.maximumBytes, frame: frame(tokens, carried))
    if full > 0 || carried.isEmpty || lengths.isEmpty { return Fit(count: full, hasFields: true) }
    let bare = count(lengths.prefix(1), within: limits.maximumBytes, frame: frame(tokens, []))
    return Fit(count: bare, hasFields: false)
  }

  private static func count(
    _ lengths: some Sequence<Int>, within limit: Int, frame: (before: [UInt8], after: [UInt8])
  ) -> Int {
    var total = frame.before.count &+ frame.after.count
    var count = 0
    for length in lengths {
      let (sum, isOver) = total.addingReportingOverflow(length &+ (count > 0 ? 1 : 0))
      guard !isOver, sum <= limit else { break }
      total = sum
      count &+= 1
    }
    return count
  }

  private static func carried(_ fields: [JSONMember]) -> [JSONMember] {
    VisitFields.normalized(fields.filter { VisitFields.stored.contains($0.name) })
  }

  /// What stands before the first event and behind the last one.
  private static func frame(_ tokens: VisitTokens, _ fields: [JSONMember]) -> (before: [UInt8], after: [UInt8]) {
    let all =
      fields + [
        JSONMember("visit_token", .string(tokens.visit)), JSONMember("visitor_token", .string(tokens.visitor)),
      ]
    var before = Array("{".utf8)
    var after = Array("]".utf8)
    for member in VisitFields.sorted(all) {
      var writer = JSONWriter()
      writer.write(string: member.name)
      let name = writer.bytes
      writer = JSONWriter()
      writer.write(member.value)
      if member.name.utf8.lexicographicallyPrecedes("events".utf8) {
        before += name + Array(":".utf8) + writer.bytes + Array(",".utf8)
      } else {
        after += Array(",".utf8) + name + Array(":".utf8) + writer.bytes
      }
    }
    before += Array(#""events":["#.utf8)
    after += Array("}".utf8)
    return (before, after)
  }
}
