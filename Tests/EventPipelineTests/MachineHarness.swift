import Effects
import EventPipeline

/// A format that sends the ids of events, one per line, at most some to a request; the status of an answer decides.
struct LineFormat: DeliveryFormat {
  var perRequest = 10
  /// Ids that are not for this backend begin so.
  var skipped = "skip"
  /// Ids that can never be sent begin so.
  var undeliverable = "large"
  /// Ids that must wait begin so.
  var parked = "park"

  func cut(_ events: ArraySlice<QueuedEvent>) -> DeliveryCut {
    var chosen: [Int] = []
    var passedOver: [Int] = []
    for (offset, event) in events.enumerated() {
      if event.id.hasPrefix(skipped) {
        passedOver.append(offset)
      } else if event.id.hasPrefix(undeliverable) {
        return .undeliverable(offset, reason: "too large")
      } else if !event.id.hasPrefix(parked), chosen.count < perRequest {
        chosen.append(offset)
      }
    }
    if !passedOver.isEmpty { return .skip(passedOver) }
    guard !chosen.isEmpty else { return .wait }
    let slice = Array(events)
    let body = chosen.map { slice[$0].id }.joined(separator: "\n")
    return .request(OutboundRequest(url: "http://backend.test/events", body: Array(body.utf8)), indices: chosen)
  }

  func judge(
    _ outcome: Result<OutboundResponse, TransportError>, attempt: Int, events: Int
  ) -> DeliveryVerdict {
    switch outcome {
    case .failure(let error): return .retry(afterMilliseconds: nil, reason: error.description)
    case .success(let response):
      switch response.status {
      case 200..<300: return .delivered
      case 400, 413: return .split(reason: "status \(response.status)")
      case 300..<400, 401, 403, 404, 405, 422: return .misconfigured(reason: "status \(response.status)")
      default: return .retry(afterMilliseconds: nil, reason: "status \(response.status)")
      }
    }
  }
}

/// The ids in a request of ``LineFormat``.
func ids(of request: OutboundRequest) -> [String] {
  String(decoding: request.body, as: UTF8.self).split(separator: "\n").map(String.init)
}

func event(_ sequence: Int64, id: String? = nil, bytes: Int = 20) -> QueuedEvent {
  QueuedEvent(
    sequence: sequence, id: id ?? "e\(sequence)", timeMilliseconds: 1_700_000_000_000 + sequence,
    payload: [UInt8](repeating: 0x20, count: bytes))
}

func events(_ range: ClosedRange<Int64>) -> [QueuedEvent] { range.map { event($0) } }

/// Drives a machine by hand: a conversation of inputs and the actions they cause.
struct MachineHarness {
  var machine: DeliveryMachine
  /// Milliseconds since the start.
  var now: UInt64 = 0
  /// The random bits of the next inputs: the longest pauses, unless a test says otherwise.
  var random: UInt64 = .max
  /// Requests under way, by number.
  var underway: [Int: [String]] = [:]
  var changes: [DeliveryChange] = []
  static let wall: Int64 = 1_800_000_000_000

  init(format: any DeliveryFormat = LineFormat(), _ change: (inout DeliveryOptions) -> Void = { _ in }) {
    var options = DeliveryOptions()
    change(&options)
    machine = DeliveryMachine(backend: "ahoy", format: format, options: options)
  }

  var moment: DeliveryMachine.Moment {
    DeliveryMachine.Moment(
      nanoseconds: now * 1_000_000, wallMilliseconds: Self.wall + Int64(now), random: random)
  }

  var status: DeliveryStatus { machine.status(at: moment) }
  /// Milliseconds until the machine wants to hear of the time.
  var wait: UInt64? { machine.deadline.map { ($0 - min($0, now * 1_000_000)) / 1_000_000 } }

  @discardableResult
  mutating func handle(_ input: DeliveryMachine.Input) -> [DeliveryMachine.Action] {
    let actions = machine.handle(input, at: moment)
    for case .send(let request, let number) in actions { underway[number] = ids(of: request) }
    for case .save(let change) in actions { changes.append(change) }
    return actions
  }

  /// Starts a machine that stands at the beginning, gives it these events, and returns what follows.
  @discardableResult
  mutating func begin(_ events: [QueuedEvent], cursor: DeliveryCursor = DeliveryCursor(position: 0))
    -> [DeliveryMachine.Action]
  {
    handle(.start)
    handle(.committed(upTo: events.last?.sequence ?? 0))
    handle(.loaded(.success(cursor)))
    handle(.letters(.success([])))
    return page(events, after: cursor.position)
  }

  /// Answers a read with the events, the last there are.
  @discardableResult
  mutating func page(_ events: [QueuedEvent], after sequence: Int64 = 0) -> [DeliveryMachine.Action] {
    handle(
      .page(.success(RecordPage(events: events, lastSequence: events.last?.sequence ?? sequence, isAtEnd: true))))
  }

  /// Commits further events and answers the read that follows.
  @discardableResult
  mutating func arrive(_ events: [QueuedEvent]) -> [DeliveryMachine.Action] {
    handle(.committed(upTo: events.last?.sequence ?? 0))
    return page(events)
  }

  @discardableResult
  mutating func answer(_ number: Int, status: Int, fields: [OutboundField] = []) -> [DeliveryMachine.Action] {
    underway[number] = nil
    return handle(.answered(request: number, .success(OutboundResponse(status: status, fields: fields))))
  }

  @discardableResult
  mutating func fail(_ number: Int, _ error: TransportError) -> [DeliveryMachine.Action] {
    underway[number] = nil
    return handle(.answered(request: number, .failure(error)))
  }

  /// Lets time pass up to the machine's deadline and says so.
  @discardableResult
  mutating func passTime() -> [DeliveryMachine.Action] {
    now += (wait ?? 0) + 1
    return handle(.timer)
  }

  @discardableResult
  mutating func pass(milliseconds: UInt64) -> [DeliveryMachine.Action] {
    now += milliseconds
    return handle(.timer)
  }

  /// The cursor as it would be stored now.
  mutating func savedCursor() -> DeliveryCursor? {
    handle(.saved(nil))
    pass(milliseconds: 100)
    handle(.saved(nil))
    return changes.last?.cursor
  }
}

/// The ids of the requests among the actions, each request a list.
func sent(_ actions: [DeliveryMachine.Action]) -> [[String]] {
  actions.compactMap { action in
    if case .send(let request, _) = action { ids(of: request) } else { nil }
  }
}
