import CohorlyTracker
import Effects
import EventPipeline

/// A queue of records, the machine that delivers it, and a server that answers as a test says, in a time of their own.
struct CohorlyQueue {
  /// A request as the server saw it.
  struct Attempt {
    let milliseconds: UInt64
    let request: OutboundRequest
    let body: JSONValue
    var path: String { request.url.split(separator: "/").last.map(String.init) ?? "" }
    /// The names of its events.
    var names: [String] { (body.array ?? [body]).map { $0["event"]?.string ?? "-" } }
    var size: Int { body.array?.count ?? 1 }
  }

  var machine: DeliveryMachine
  /// The random bits of all inputs: no jitter, unless a test says otherwise.
  var random: UInt64 = 1 << 63
  /// The next answers; when there are none, 200.
  var answers: [Result<OutboundResponse, TransportError>] = []
  /// No answer is given.
  var isHeld = false
  private(set) var attempts: [Attempt] = []
  private(set) var dead: [DeadLetter] = []
  private(set) var reports: [FlushReport] = []
  private(set) var isDrained = false
  private var stored: [QueuedEvent] = []
  private var nanoseconds: UInt64 = 0
  private var inputs: [DeliveryMachine.Input] = []

  static let wall: Int64 = 1_800_000_000_000
  static let identity = CohorlyIdentity(anonymous: "7b0c9d7e-0000-4000-8000-000000000001")

  init(
    token: String? = nil, _ change: (inout DeliveryOptions) -> Void = { _ in },
    refused: @escaping @Sendable ([String]) -> Void = { _ in }
  ) {
    var options = DeliveryOptions.cohorly
    change(&options)
    machine = DeliveryMachine(
      backend: "cohorly",
      format: CohorlyDelivery(
        endpoint: CohorlyEndpoint(apiHost: "http://server.test/", token: token), refused: refused),
      options: options)
    handle(.start)
  }

  var milliseconds: UInt64 { nanoseconds / 1_000_000 }
  var status: DeliveryStatus { machine.status(at: moment) }
  var depth: Int64 { status.depth }
  var sizes: [Int] { attempts.map(\.size) }
  var names: [[String]] { attempts.map(\.names) }
  var times: [UInt64] { attempts.map(\.milliseconds) }

  private var moment: DeliveryMachine.Moment {
    DeliveryMachine.Moment(
      nanoseconds: nanoseconds, wallMilliseconds: Self.wall + Int64(milliseconds), random: random)
  }

  static func status(_ status: Int, retryAfter: String? = nil) -> Result<OutboundResponse, TransportError> {
    .success(
      OutboundResponse(status: status, fields: retryAfter.map { [OutboundField("Retry-After", $0)] } ?? []))
  }

  static var networkError: Result<OutboundResponse, TransportError> {
    .failure(TransportError(.unreachable, "nobody listens"))
  }

  mutating func track(_ names: String...) { for name in names { add(event(name)) } }

  func event(_ name: String) -> CohorlyRecord {
    CohorlyEvent(
      name: name, insertID: "id-\(stored.count)", timeMilliseconds: Self.wall + Int64(milliseconds),
      identity: Self.identity
    ).record
  }

  /// Queues a record.
  mutating func add(_ record: CohorlyRecord) {
    let id = "id-\(stored.count)"
    let time = Self.wall + Int64(milliseconds)
    stored.append(
      QueuedEvent(
        sequence: Int64(stored.count + 1), id: id, timeMilliseconds: time,
        payload: record.stored(id: id, timeMilliseconds: time)))
    handle(.committed(upTo: Int64(stored.count)))
  }

  mutating func flush() { handle(.flush(ticket: 1)) }

  /// Lets time pass, with everything that is due meanwhile.
  mutating func advance(milliseconds: UInt64) {
    let end = nanoseconds + milliseconds * 1_000_000
    while let deadline = machine.deadline, deadline <= end {
      // A real timer is never early, nor at once.
      nanoseconds = max(deadline, nanoseconds + 1)
      guard nanoseconds <= end else { break }
      handle(.timer)
    }
    nanoseconds = end
    handle(.timer)
  }

  mutating func handle(_ input: DeliveryMachine.Input) {
    inputs.append(input)
    guard inputs.count == 1 else { return }
    while let next = inputs.first {
      for action in machine.handle(next, at: moment) { perform(action) }
      inputs.removeFirst()
    }
  }

  private mutating func perform(_ action: DeliveryMachine.Action) {
    switch action {
    case .load: inputs.append(.loaded(.success(DeliveryCursor(position: 0))))
    case .read(let after, let limit, _):
      let events = stored.filter { $0.sequence > after }.prefix(limit)
      let last = events.last?.sequence ?? after
      inputs.append(
        .page(
          .success(
            RecordPage(events: Array(events), lastSequence: last, isAtEnd: last == Int64(stored.count)))))
    case .readLetters: inputs.append(.letters(.success([])))
    case .save(let change):
      dead += change.dead
      inputs.append(.saved(nil))
    case .send(let request, let number):
      let reading = JSONReader().read(request.body)
      attempts.append(Attempt(milliseconds: milliseconds, request: request, body: reading.root?.value ?? .null))
      guard !isHeld else { return }
      inputs.append(.answered(request: number, answers.isEmpty ? Self.status(200) : answers.removeFirst()))
    case .flushed(_, let report): reports.append(report)
    case .drained: isDrained = true
    case .cancelSends: break
    }
  }
}
