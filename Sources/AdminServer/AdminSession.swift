import AdminAPI
import Effects
import HTTPWire
import LoopRuntime

/// One connection to the admin endpoint: HTTP/1.1 with keep-alive and pipelining, bodies by Content-Length only.
final class AdminSession: StreamSocket {
  private enum Phase {
    /// Nothing of the next request has come. Exits: `receiving`, closed.
    case idle
    /// A part of a request has come. Exits: `answering`, closed.
    case receiving
    /// The request is being carried out, elsewhere, and the answer comes later. Exits: `answering`, closed.
    case working(ticket: Int)
    /// The answer is on its way. Exits: `idle`, `receiving` (pipelined), `lingering`, closed.
    case answering(closing: Bool)
    /// The last answer is out; what still comes is dropped, so that no reset overtakes the answer. Exit: closed.
    case lingering
  }

  private static let chunkSize = 16 << 10

  private unowned let server: AdminServer
  private var phase = Phase.idle
  private var input: [UInt8] = []
  private var peerEnded = false
  private var sentContinue = false
  /// When the present wait for the client began, nanoseconds.
  private(set) var waitingSince: UInt64 = 0
  /// The number of the last request whose answer came later.
  private var lastTicket = 0

  init(_ server: AdminServer, descriptor: CInt) {
    self.server = server
    super.init(server.loop, descriptor: descriptor)
  }

  func start() {
    enter(.idle, milliseconds: server.options.idleDeadline)
    setReading(true)
  }

  private func enter(_ next: Phase, milliseconds: Int) {
    phase = next
    waitingSince = EventLoop.nanoseconds()
    loop.setDeadline(self, at: waitingSince &+ UInt64(clamping: milliseconds) &* 1_000_000)
  }

  override func readable() {
    let (count, chunk) = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: AdminSession.chunkSize) { buffer in
      // A temporary allocation of a positive capacity has a base address.
      guard let base = buffer.baseAddress else { return (0, [UInt8]()) }
      let count = receive(base, buffer.count)
      return (count, count > 0 ? Array(UnsafeBufferPointer(start: base, count: count)) : [])
    }
    switch count {
    case SocketOutcome.wouldBlock.rawValue: return
    case SocketOutcome.failed.rawValue: close()
    case 0: peerHasEnded()
    default:
      if case .lingering = phase { return }
      input.append(contentsOf: chunk)
      if case .idle = phase { enter(.receiving, milliseconds: server.options.requestDeadline) }
      process()
    }
  }

  private func peerHasEnded() {
    peerEnded = true
    setReading(false)
    // A client may end its side and still read the answer.
    if case .answering = phase { return }
    close()
  }

  override func drained() {
    guard case .answering(let closing) = phase else { return }
    if peerEnded { return close() }
    if closing {
      shutdownWriting()
      input = []
      enter(.lingering, milliseconds: 1000)
      setReading(true)
    } else {
      expectNext()
      process()
    }
  }

  /// Goes on after an answer; the next request may have come already.
  private func expectNext() {
    sentContinue = false
    if input.isEmpty {
      enter(.idle, milliseconds: server.options.idleDeadline)
    } else {
      enter(.receiving, milliseconds: server.options.requestDeadline)
    }
    setReading(true)
  }

  override func writeFailed() { close() }

  override func deadlineReached() {
    switch phase {
    case .idle, .lingering: close()
    case .receiving:
      refuse(
        AdminError(
          .requestTimeout, "The request was not complete in time.", hint: "Send head and body without a pause."))
    case .working:
      refuse(
        AdminError(
          .unfinished, "It takes longer than this endpoint waits; it goes on.", hint: "Look at /status later."))
    case .answering: close(reset: true)
    }
  }

  override func close(reset: Bool = false) {
    guard !isClosed else { return }
    server.forget(self)
    super.close(reset: reset)
  }

  /// Answers as many complete requests as the input holds, one at a time.
  private func process() {
    while case .receiving = phase, !isClosed {
      var head = RequestHead()
      let outcome = input.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { server.parser.parseRequest($0, buffer.count, into: &head) } ?? .incomplete
      }
      switch outcome {
      case .incomplete: return
      case .refused(let fault): return refuse(fault)
      case .complete:
        guard take(head) else { return }
      }
    }
  }

  /// Answers the request if its body has come; false when more input is needed or the connection ends.
  private func take(_ head: RequestHead) -> Bool {
    var request = readHead(head)
    do throws(AdminError) {
      try server.router.admit(request)
    } catch {
      guard head.body == .none else {
        refuse(error)
        return false
      }
      consume(head.length)
      return send(error.response, request, head)
    }
    var bodyLength = 0
    switch head.body {
    case .none: break
    case .length(let length):
      guard length <= Int64(AdminRouter.bodyLimit) else {
        refuse(AdminRouter.bodyTooLarge)
        return false
      }
      bodyLength = Int(length)
    case .chunked, .untilClose:
      refuse(
        AdminError(.malformedRequest, "The body has no Content-Length.", hint: "Send the body with a Content-Length."),
        status: 411)
      return false
    }
    guard input.count >= head.length + bodyLength else {
      askForBody(head)
      return false
    }
    request.body = Array(input[head.length..<head.length + bodyLength])
    consume(head.length + bodyLength)
    switch server.router.respond(to: request) {
    case .ready(let response): return send(response, request, head)
    case .later(let start):
      waitForAnswer(start, request, head)
      return false
    }
  }

  /// Lets the answer come; the next request waits in the kernel meanwhile.
  private func waitForAnswer(
    _ start: (@escaping @Sendable (AdminResponse) -> Void) -> Void, _ request: AdminRequest, _ head: RequestHead
  ) {
    lastTicket &+= 1
    enter(.working(ticket: lastTicket), milliseconds: server.options.workDeadline)
    setReading(false)
    let bound = LoopBound(Waiting(session: self, ticket: lastTicket, request: request, head: head), on: server.loop)
    let mailbox = server.loop.mailbox
    start { response in mailbox.post { bound.value.session?.arrived(response, bound.value) } }
  }

  /// A request whose answer comes later.
  private struct Waiting {
    weak var session: AdminSession?
    var ticket: Int
    var request: AdminRequest
    var head: RequestHead
  }

  private func arrived(_ response: AdminResponse, _ waiting: Waiting) {
    // The deadline may have ended the wait, or the client the connection.
    guard !isClosed, case .working(ticket: waiting.ticket) = phase else { return }
    if send(response, waiting.request, waiting.head) { process() }
  }

  /// The client waits for a word before it sends the body (RFC 9110, section 10.1.1).
  private func askForBody(_ head: RequestHead) {
    guard head.fields.expectsContinue, !sentContinue, input.count == head.length else { return }
    sentContinue = true
    transmit(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
  }

  private func readHead(_ head: RequestHead) -> AdminRequest {
    func text(_ start: Int, _ length: Int) -> String {
      String(decoding: input[start..<start + length], as: UTF8.self)
    }
    let fields = (0..<head.fields.count).map { index in
      let line = server.parser.lines[index]
      return AdminRequest.Field(
        text(Int(line.nameStart), Int(line.nameLength)), text(Int(line.valueStart), Int(line.valueLength)))
    }
    return AdminRequest(
      method: text(head.start, head.methodLength), target: text(head.targetStart, head.targetLength), fields: fields)
  }

  private func consume(_ count: Int) { input.removeFirst(count) }

  private func refuse(_ fault: WireFault) {
    refuse(
      AdminError(.malformedRequest, "The request is no acceptable HTTP: \(fault).", hint: "Use an HTTP/1.1 client."),
      status: fault.requestStatus)
  }

  /// Answers with an error and ends the connection.
  private func refuse(_ error: AdminError, status: Int? = nil) {
    var response = error.response
    if let status { response.status = status }
    input = []
    enter(.answering(closing: true), milliseconds: server.options.answerDeadline)
    setReading(false)
    transmit(response.message(omittingBody: false, closing: true, now: server.clock.millisecondsSinceEpoch()))
    if !isClosed, pending.isEmpty { drained() }
  }

  /// Sends an answer; true when it is out and the connection is ready for the next request.
  private func send(_ response: AdminResponse, _ request: AdminRequest, _ head: RequestHead) -> Bool {
    let closing = !head.wantsKeepAlive
    enter(.answering(closing: closing), milliseconds: server.options.answerDeadline)
    // Further requests wait in the kernel until this answer is taken.
    setReading(false)
    transmit(
      response.message(
        omittingBody: request.method == "HEAD", closing: closing, now: server.clock.millisecondsSinceEpoch()))
    guard !isClosed, pending.isEmpty else { return false }
    guard !closing, !peerEnded else {
      drained()
      return false
    }
    expectNext()
    return true
  }

  private func transmit(_ bytes: [UInt8]) {
    let sent = bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { super.send($0, buffer.count) } ?? true
    }
    if !sent { close() }
  }
}
