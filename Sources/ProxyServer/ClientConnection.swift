import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore
import URLRules

/// A client's connection: reads heads, starts exchanges and carries out what the exchange machine decides.
///
/// Its files: this one for reading and ending, `+Request` for starting an exchange, `+Dial` for reaching the origin,
/// `+Body` for what follows its head, `+Response` for the way back, `+Tunnel` for CONNECT, `+Upgrade` for a switch of
/// protocols, `+Ending` for the end of an exchange that is not the end of the request.
final class ClientConnection: StreamSocket {
  enum Phase {
    case idle, head, authenticating, resolving, connecting, exchanging, draining, tunnel, closing, lingering
  }

  /// Unowned without a check because a worker outlives its connections: it cuts them before it goes, and each access
  /// would otherwise count the reference up and down.
  unowned(unsafe) let worker: Worker
  /// Where the client is.
  let address: IPAddress?
  var phase = Phase.idle
  var input: InputBuffer
  var upstream: UpstreamConnection?
  /// A connection on which this client has proved to the origin who it is: nobody else may use it.
  var reserved: UpstreamConnection?
  var exchange = Exchange(RequestHead())
  /// The head for the origin, and behind it the URL for the record.
  var requestBuffer: OutputBuffer?
  var requestHeadLength = 0
  var requestMethodLength = 0
  var urlLength = 0
  var requestRemaining: Int64 = 0
  var requestChunks: ChunkedStream?
  var entry = RecordBatch.Entry()
  var verdict = Verdict()
  var snapshot: InjectionSnapshot?
  var startedAt: UInt64 = 0
  /// What the request at hand may switch to; nil for nearly every one.
  var upgrade: UpgradeOffer?
  var dial: Dial?
  var clientEnded = false
  var upstreamEnded = false
  /// Who the client has proved to be with its last request.
  var user: [UInt8] = []
  /// The request at hand has waited for its password to be looked at.
  var wasDeferred = false
  /// Whether the ledger has counted the connection, and its address.
  var isAdmitted = false
  var addressIsCounted = false
  /// How fast the client sends its body, and takes what is pending for it.
  var uploadPace = PaceMeter()
  private var downloadPace = PaceMeter()
  private var isPacingDownload = false
  private var readSize = Worker.smallRead
  /// How much was read and dropped after the last answer; below 0 while that answer is still being sent.
  var lingered = 0
  /// `serveInput` is at work further up the stack and takes the next request itself.
  private var isServing = false

  init(_ worker: Worker, descriptor: CInt, address: IPAddress?) {
    self.worker = worker
    self.address = address
    input = InputBuffer(worker.loop)
    super.init(worker.loop, descriptor: descriptor)
  }

  var settings: ProxySettings { (snapshot ?? worker.snapshot).settings }

  // MARK: Life

  /// Waits for the first request.
  func start() {
    setReading(true)
    // One that was accepted at the end has little time to say what it wants.
    let patience = worker.isDraining ? min(settings.timeouts.head, 1_000_000_000) : settings.timeouts.head
    loop.setDeadline(self, at: EventLoop.nanoseconds() &+ patience)
  }

  /// Answers without having read anything, and ends.
  func refuse(_ error: ProxyError) {
    worker.counters.requests &+= 1
    worker.counters.errors[Int(error.rawValue)] &+= 1
    answerAndClose(error, detail: "")
  }

  /// Lets a client go that has nothing running, and keeps others until their exchange is over.
  func drain() {
    // A request that has arrived is served: closing on unread bytes would reset the connection.
    if phase == .idle, pending.isEmpty { receiveHead() }
    if phase == .idle, !isClosed { return closeWhenSent(lingers: false) }
    exchange.endsConnection()
  }

  override func close(reset: Bool = false) {
    guard !isClosed else { return }
    if let upstream {
      self.upstream = nil
      upstream.close(reset: reset)
    }
    dropReserved()
    endDial()
    releaseExchange()
    input.clear()
    super.close(reset: reset)
    worker.closed(self)
  }

  /// Cuts an exchange short without an answer, writes it down and closes.
  func abandon(_ error: ProxyError, reset: Bool = false) {
    if isInExchange { finishRecord(error) }
    close(reset: reset)
  }

  var isInExchange: Bool {
    switch phase {
    case .resolving, .connecting, .exchanging, .tunnel: true
    default: false
    }
  }

  func progress() { loop.setDeadline(self, at: EventLoop.nanoseconds() &+ worker.readTimeout) }

  override func deadlineReached() {
    switch phase {
    case .idle: close(reset: !pending.isEmpty)
    case .head:
      if input.isEmpty { return close() }
      let now = EventLoop.wallMilliseconds()
      beginUnread(input.count, worker.currentSnapshot(now), now)
      fail(.requestTimeout)
    case .authenticating:
      let now = EventLoop.wallMilliseconds()
      beginUnread(input.count, worker.currentSnapshot(now), now)
      fail(.overloaded, detail: "too many passwords are waiting to be looked at")
    case .resolving, .connecting: dialDeadlineReached()
    case .exchanging:
      if !pending.isEmpty {
        abandon(.clientTooSlow, reset: true)
      } else if !exchange.requestIsComplete, upstream?.pending.isEmpty ?? true {
        fail(.clientTooSlow)
      } else {
        fail(.responseTimeout)
      }
    case .tunnel: endTunnel(nil)
    case .draining: close(reset: !pending.isEmpty)
    // What is not sent yet must not look sent: the end of an answer may be the end of the connection alone.
    case .closing: close(reset: !pending.isEmpty)
    case .lingering: close()
    }
  }

  // MARK: Reading

  override func readable() {
    switch phase {
    case .idle, .head: receiveHead()
    case .resolving, .connecting: receiveAhead()
    case .exchanging: exchange.requestIsComplete ? receiveAhead() : receiveBody()
    case .draining: receiveRest()
    case .tunnel: pump(from: self)
    case .closing, .authenticating: setReading(false)
    case .lingering: receiveAndDiscard()
    }
  }

  private func receiveHead() {
    if input.isEmpty {
      let count = receive(worker.scratch, Worker.smallRead)
      if count == SocketOutcome.wouldBlock.rawValue { return }
      guard count > 0 else { return close() }
      serve(worker.scratch, count)
    } else {
      let before = input.count
      let count = input.fill(from: self)
      if count == SocketOutcome.wouldBlock.rawValue { return }
      guard count > 0 else { return close() }
      // A head that comes byte by byte must not cost a parse for each.
      if let bytes = input.bytes, !worker.requestParser.isWorthParsing(bytes, input.count, after: before) { return }
      serveInput()
    }
  }

  /// Serves the requests at hand, one after the other, as far as they can be answered at once and the client takes the
  /// answers. A loop, because requests that are answered at once would otherwise pile up on the stack.
  func serveInput() {
    guard !isServing else { return }
    isServing = true
    defer { isServing = false }
    while phase == .idle || phase == .head, !isClosed, pending.isEmpty, let bytes = input.bytes {
      let before = input.count
      serve(bytes, before)
      if input.count == before, phase == .head { return }
    }
  }

  private func serve(_ bytes: MutableBytes, _ count: Int) {
    // Before the head is read, because a newer snapshot can bring a new parser with other limits.
    let now = EventLoop.wallMilliseconds()
    let snapshot = worker.currentSnapshot(now)
    var head = RequestHead()
    switch worker.requestParser.parseRequest(bytes, count, into: &head) {
    case .incomplete:
      if count > MemoryGauge.smallestRead, worker.isShortOfMemory() {
        beginUnread(count, snapshot, now)
        return fail(.memoryLimitReached)
      }
      input.keep(bytes, count)
      if phase == .idle || startedAt == 0 {
        startedAt = EventLoop.nanoseconds()
        loop.setDeadline(self, at: startedAt &+ settings.timeouts.head)
      }
      phase = .head
      setReading(true)
    case .refused(let fault):
      refuse(fault, bytes, count, snapshot, now)
    case .complete:
      begin(head, bytes, count, snapshot, now)
    }
  }

  private func refuse(
    _ fault: WireFault, _ bytes: Bytes, _ count: Int, _ snapshot: InjectionSnapshot, _ now: Int64
  ) {
    beginUnread(count, snapshot, now)
    switch fault {
    case .targetTooLong: fail(.targetTooLong)
    case .headTooLarge: fail(.headTooLarge)
    case .unsupportedVersion: fail(.unsupportedVersion)
    case .tooManyFields, .trailerTooLarge: fail(.headTooLarge, detail: fault.explanation)
    case .unsupportedTransferCoding: fail(.unsupportedTransferCoding, detail: fault.explanation)
    default:
      // A TLS record of a handshake begins so (RFC 8446, section 5.1).
      let isTLS = count > 1 && bytes[0] == 0x16 && bytes[1] == 0x03
      fail(
        .malformedRequest, detail: isTLS ? "TLS was spoken: the proxy's own URL begins with http" : fault.explanation)
    }
  }

  /// Starts an exchange: so many bytes of it have been received.
  @inline(__always)
  func startExchange(_ exchange: Exchange, _ snapshot: InjectionSnapshot, _ now: Int64, received: Int) {
    self.snapshot = snapshot
    self.exchange = exchange
    startedAt = EventLoop.nanoseconds()
    upstreamEnded = false
    entry = RecordBatch.Entry()
    entry.startedAtMilliseconds = now
    entry.requestBytes = Int64(received)
    verdict = Verdict()
    urlLength = 0
    requestHeadLength = 0
    requestMethodLength = 0
    phase = .connecting
    worker.counters.requests &+= 1
  }

  /// Starts an exchange of which nothing is known but that its head is no good.
  func beginUnread(_ count: Int, _ snapshot: InjectionSnapshot, _ now: Int64) {
    startExchange(Exchange(RequestHead(), keepsAlive: false), snapshot, now, received: count)
    user = []
    noteRequest(worker.scratch, 0, url: nil, 0)
  }

  /// Keeps what comes before it is wanted: pipelined requests, a body before the origin is there.
  private func receiveAhead() {
    guard input.count < min(Worker.smallRead * 2, worker.gauge.readLimit) else { return setReading(false) }
    let count = input.fill(from: self)
    if count > 0 || count == SocketOutcome.wouldBlock.rawValue { return }
    if count == 0 {
      // The client has finished sending and may still want the answer (RFC 9112, section 9.6).
      clientEnded = true
      setReading(false)
      return
    }
    abandon(.clientClosed)
  }

  private func receiveBody() {
    // The last byte goes the other way, where the end of the body is noticed.
    let limit = requestChunks == nil ? Int(clamping: requestRemaining - 1) : 0
    if sendsInBulk, limit >= Worker.bulkRead, let upstream, upstream.pending.isEmpty, let pipe = worker.pipes.take() {
      return receiveBulk(limit, through: pipe, for: upstream)
    }
    let wanted = min(readSize, worker.gauge.readLimit)
    let count = receive(worker.scratch, wanted)
    if count == SocketOutcome.wouldBlock.rawValue { return }
    guard count > 0 else { return abandon(.clientClosed) }
    sendsInBulk = count >= Worker.bulkRead
    if count == wanted, readSize < Worker.largeRead { readSize *= 2 }
    guard uploadMoved(count) else { return }
    forwardBody(worker.scratch, count)
    if let upstream, !upstream.pending.isEmpty {
      readSize = Worker.smallRead
      worker.lookAtMemory()
    }
  }

  private func receiveBulk(_ limit: Int, through pipe: TransferPipe, for upstream: UpstreamConnection) {
    let (count, isSound) = upstream.relay(from: self, limit, through: worker.pipes, pipe)
    if count == SocketOutcome.wouldBlock.rawValue { return }
    guard count > 0 else { return abandon(.clientClosed) }
    sendsInBulk = count >= Worker.bulkRead
    requestRemaining -= Int64(count)
    entry.requestBytes += Int64(count)
    guard uploadMoved(count) else { return }
    guard isSound else { return requestUnsendable() }
    setReading(upstream.pending.isEmpty)
  }

  /// So much of the body has come: the client may take its time for the next part, unless it has been too slow over the
  /// whole; then the exchange has failed.
  private func uploadMoved(_ count: Int) -> Bool {
    let now = EventLoop.nanoseconds()
    if let rate = settings.limits.minimumBytesPerSecond,
      !uploadPace.moved(count, at: now, perSecond: rate, patience: settings.timeouts.read)
    {
      fail(.clientTooSlow)
      return false
    }
    loop.setDeadline(self, at: now &+ settings.timeouts.read)
    return true
  }

  // MARK: Ending

  override func drained() {
    isPacingDownload = false
    switch phase {
    case .closing: finishClosing()
    case .tunnel: tunnelDrained(to: self)
    case .exchanging:
      progress()
      upstream?.setReading(true)
    case .idle: becomeIdle()
    default: break
    }
  }

  override func writable() {
    let before = pending.count
    super.writable()
    let taken = before - pending.count
    // The client takes what it is sent, if slowly. A socket that is said to be writable and takes nothing, as one can be
    // while the kernel is short of memory, is no reason to wait longer.
    guard !isClosed, !pending.isEmpty, taken > 0 else { return }
    switch phase {
    case .idle, .exchanging, .draining, .closing:
      let now = EventLoop.nanoseconds()
      let patience = settings.timeouts.read
      if !isPacingDownload {
        isPacingDownload = true
        downloadPace.start(at: now, patience: patience)
      } else if let rate = settings.limits.minimumBytesPerSecond,
        !downloadPace.moved(taken, at: now, perSecond: rate, patience: patience)
      {
        return phase == .exchanging ? abandon(.clientTooSlow, reset: true) : close(reset: true)
      }
      loop.setDeadline(self, at: now &+ patience)
    default: break
    }
  }

  override func writeFailed() { abandon(.clientClosed) }

  func releaseExchange() {
    if let buffer = requestBuffer {
      requestBuffer = nil
      worker.giveBack(buffer)
    }
    if requestChunks != nil { requestChunks = nil }
    if upgrade != nil { upgrade = nil }
    snapshot = nil
  }
}
