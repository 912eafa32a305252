import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore

/// A connection to an origin: dialling, serving one exchange, being a tunnel's far end, or idle in the pool.
final class UpstreamConnection: StreamSocket {
  enum Phase { case connecting, negotiating, head, body, tunnel, idle, reserved }

  /// Unowned without a check because a worker outlives its connections: it cuts them before it goes, and each access
  /// would otherwise count the reference up and down.
  unowned(unsafe) let worker: Worker
  let origin: Origin
  private let endpoint: Endpoint
  /// The generation of the settings that let the endpoint be reached.
  private var admittedBy: Int
  var client: ClientConnection?
  var phase = Phase.connecting
  /// The request travels on a connection that has served another before.
  var isReused = false
  /// The origin may take whatever comes on the connection for the words of one client: nobody else may use it.
  var isPersonal = false
  /// The connection stands, and counts among those of its origin.
  var isCounted = false
  /// The beginning of a response head.
  var partialHead: InputBuffer
  /// Interim answers to CONNECT so far.
  var interimCount = 0
  private var remaining: Int64 = 0
  private var chunks: ChunkedStream?
  private var readSize = Worker.smallRead

  init(_ worker: Worker, descriptor: CInt, to endpoint: Endpoint, of origin: Origin, client: ClientConnection) {
    self.worker = worker
    self.origin = origin
    self.endpoint = endpoint
    admittedBy = (client.snapshot ?? worker.snapshot).generation
    self.client = client
    partialHead = InputBuffer(worker.loop)
    super.init(worker.loop, descriptor: descriptor)
    worker.counters.upstreamsOpen += 1
    setWriting(true)
  }

  override func close(reset: Bool = false) {
    guard !isClosed else { return }
    if phase == .idle {
      origin.idle.removeAll { $0 === self }
      worker.counters.upstreamsIdle -= 1
    }
    if client?.reserved === self { client?.reserved = nil }
    worker.counters.upstreamsOpen -= 1
    client = nil
    partialHead.clear()
    if chunks != nil { chunks = nil }
    super.close(reset: reset)
    giveRoom()
  }

  // MARK: The pool

  /// Lies down in the pool until the next request, the idle time or the origin's end.
  func rest() {
    client = nil
    partialHead.clear()
    if chunks != nil { chunks = nil }
    // Who waits gets the connection whatever the pool may hold.
    let isWanted = !origin.waiting.isEmpty
    guard
      isWanted
        || origin.idle.count < worker.snapshot.settings.limits.idlePerOrigin
          && worker.counters.upstreamsIdle < Worker.idleLimit && !worker.isDraining
    else { return close() }
    phase = .idle
    origin.idle.append(self)
    worker.counters.upstreamsIdle += 1
    setReading(true)
    loop.setDeadline(self, at: EventLoop.nanoseconds() &+ worker.snapshot.settings.timeouts.idle)
    if isWanted { worker.serveLater(origin) }
  }

  /// Lies down until the next request of that client, the idle time or the origin's end.
  func rest(for client: ClientConnection) {
    self.client = client
    partialHead.clear()
    if chunks != nil { chunks = nil }
    phase = .reserved
    setReading(true)
    loop.setDeadline(self, at: EventLoop.nanoseconds() &+ worker.snapshot.settings.timeouts.idle)
  }

  /// Whether another request may be sent on the connection. The loop has closed those that ended, except where it is
  /// about to in this very round: those are found out here, without asking the system. So are those to where a reload
  /// lets nobody go any more.
  var isUsable: Bool {
    guard !hasUnservedEvent else { return false }
    let generation = worker.snapshot.generation
    guard admittedBy != generation else { return true }
    admittedBy = generation
    return origin.refusal(of: endpoint, by: worker.snapshot.settings.destinations) == nil
  }

  /// Takes up the exchange of a client.
  func wake(for client: ClientConnection) {
    self.client = client
    if phase == .idle { worker.counters.upstreamsIdle -= 1 }
    phase = .head
    isReused = true
    readSize = Worker.smallRead
    sendsInBulk = false
    loop.clearDeadline(self)
  }

  /// Belongs to one client from now on, and does not count among the connections of its origin any more.
  func becomeTunnel() {
    phase = .tunnel
    giveRoom()
  }

  private func giveRoom() {
    guard isCounted else { return }
    isCounted = false
    worker.release(origin)
  }

  override func deadlineReached() {
    switch phase {
    case .idle, .reserved: close()
    case .head: client?.originIsSilent()
    default: break
    }
  }

  // MARK: Connecting and sending

  override func writable() {
    guard phase == .connecting else {
      flushPending()
      // The origin takes what it is sent, if slowly.
      if !isClosed, !pending.isEmpty { client?.requestMoved() }
      return
    }
    guard let client else { return close() }
    if let failure = Dialer.outcome(descriptor) { return client.attemptFailed(self, failure) }
    setWriting(false)
    phase = .head
    client.connected(self)
  }

  override func drained() {
    guard let client else { return }
    phase == .tunnel ? client.tunnelDrained(to: self) : client.requestDrained()
  }

  override func writeFailed() {
    // An origin that answers and closes while the request is still being sent has the last word: what it sent is read
    // first (RFC 9112, section 9.6), and its end is noticed there.
    if phase == .tunnel { client?.tunnelFailed() } else { client?.requestUnsendable() }
  }

  // MARK: Receiving

  override func readable() {
    switch phase {
    case .head: receiveHead()
    case .negotiating: receiveParentAnswer()
    case .body: receiveBody()
    case .tunnel: client?.pump(from: self)
    // Nothing may come without a request: the end, or bytes that nobody asked for (RFC 9112, section 9.2).
    case .idle, .reserved: close()
    case .connecting: break
    }
  }

  private func receiveHead() {
    guard let client else { return close() }
    let bytes: MutableBytes
    var count: Int
    var before = 0
    if partialHead.isEmpty {
      bytes = worker.scratch
      count = receive(bytes, min(Worker.headRead, worker.gauge.readLimit))
    } else {
      before = partialHead.count
      count = partialHead.fill(from: self)
      guard let start = partialHead.bytes else { return close() }
      bytes = start
    }
    if count == SocketOutcome.wouldBlock.rawValue { return }
    guard count > 0 else { return client.upstreamEnded(cleanly: count == 0) }
    client.answerArrived()
    if before > 0 {
      count = partialHead.count
      // A head that comes byte by byte must not cost a parse for each.
      guard worker.responseParser.isWorthParsing(bytes, count, after: before) else { return }
    }
    parse(bytes, count, for: client)
  }

  private func parse(_ bytes: MutableBytes, _ count: Int, for client: ClientConnection) {
    var offset = 0
    while true {
      var head = ResponseHead()
      switch worker.responseParser.parseResponse(bytes + offset, count - offset, into: &head) {
      case .incomplete:
        partialHead.keep(bytes + offset, count - offset)
        return waitForClient(client)
      case .refused(let fault):
        switch fault {
        case .headTooLarge, .tooManyFields: client.upstreamRefused(.responseHeadTooLarge)
        default: client.upstreamRefused(.malformedResponse)
        }
        return
      case .complete:
        switch client.receivedHead(bytes + offset, head) {
        case .refused(let error):
          client.upstreamRefused(error)
          return
        case .interim(let forward):
          if forward, !client.sendInterim(bytes + offset, head) { return }
          offset += head.length
          if offset == count {
            partialHead.clear()
            return waitForClient(client)
          }
        case .switched:
          client.switched(bytes + offset, count - offset, head)
          partialHead.clear()
          return
        case .final(let delivery, let keepsClient):
          deliver(bytes + offset, count - offset, head, delivery, keepsClient: keepsClient, to: client)
          return
        }
      }
    }
  }

  /// Reads on once the client has taken what was sent: interim responses must not fill the memory either.
  private func waitForClient(_ client: ClientConnection) {
    if !client.pending.isEmpty { setReading(false) }
  }

  private func deliver(
    _ bytes: MutableBytes, _ count: Int, _ head: ResponseHead, _ delivery: Exchange.Delivery, keepsClient: Bool,
    to client: ClientConnection
  ) {
    phase = .body
    var trailers: TrailerFilter?
    switch delivery {
    case .length(let length): remaining = length
    case .relayedChunks:
      let filter = client.trailerFilter(bytes, head.fields, worker.responseParser.lines)
      chunks = ChunkedStream(output: .chunked, trailers: filter)
      trailers = filter
    case .decodedChunks: chunks = ChunkedStream(output: .decoded)
    // What GET would have got.
    case .none: if head.fields.hasTrailer { trailers = TrailerFilter() }
    default: break
    }
    if trailers != nil, client.settings.trailers == .drop { trailers = nil }
    guard client.renderHead(bytes, head, delivery, keepsClient: keepsClient, trailers: trailers) else {
      return client.upstreamRefused(.responseHeadTooLarge)
    }
    let output = worker.output
    relay(
      bytes + head.length, count - head.length, delivery, behind: (UnsafePointer(output.base), output.count), to: client
    )
    // Nothing of the block is used after the relay has sent or queued it.
    partialHead.clear()
  }

  private func receiveBody() {
    guard let client else { return close() }
    let limit = bulkLimit(client.delivery)
    if sendsInBulk, limit >= Worker.bulkRead, client.pending.isEmpty, let pipe = worker.pipes.take() {
      return receiveBulk(limit, through: pipe, for: client)
    }
    let bytes = worker.scratch
    let wanted = min(readSize, worker.gauge.readLimit)
    let count = receive(bytes, wanted)
    if count == SocketOutcome.wouldBlock.rawValue { return }
    guard count > 0 else { return client.upstreamEnded(cleanly: count == 0) }
    sendsInBulk = count >= Worker.bulkRead
    if count == wanted, readSize < Worker.largeRead { readSize *= 2 }
    relay(bytes, count, client.delivery, behind: nil, to: client)
  }

  /// How much of the body may go through a pipe. Its last byte goes the other way, where bytes behind it are noticed.
  private func bulkLimit(_ delivery: Exchange.Delivery) -> Int {
    switch delivery {
    case .length: Int(clamping: remaining - 1)
    case .untilClose: Int.max
    default: 0
    }
  }

  private func receiveBulk(_ limit: Int, through pipe: TransferPipe, for client: ClientConnection) {
    let (count, isSound) = client.relay(from: self, limit, through: worker.pipes, pipe)
    if count == SocketOutcome.wouldBlock.rawValue { return }
    guard count > 0 else { return client.upstreamEnded(cleanly: count == 0) }
    sendsInBulk = count >= Worker.bulkRead
    remaining -= Int64(count)
    guard client.relayed(count, isSound) else { return }
    if !client.pending.isEmpty { setReading(false) }
  }

  /// Sends what came, framed as the client gets it, behind the head if there is one.
  private func relay(
    _ bytes: MutableBytes, _ count: Int, _ delivery: Exchange.Delivery, behind head: (Bytes, Int)?,
    to client: ClientConnection
  ) {
    var start = bytes
    var length = count
    var isDone = false
    var isClean = true
    var trailer: [UInt8] = []
    switch delivery {
    case .none:
      length = 0
      isDone = true
      isClean = count == 0
    case .length:
      length = Int(min(Int64(count), remaining))
      remaining -= Int64(length)
      isDone = remaining == 0
      isClean = length == count
    case .relayedChunks, .decodedChunks:
      guard let result = chunks?.process(bytes, count) else { return close() }
      length = result.produced
      if result.fault != nil {
        // What was whole has to arrive; then the client is cut off, as the rest cannot.
        if let head, !client.deliver(head.0, head.1, start, length) { return }
        return client.upstreamRefused(.malformedResponse)
      }
      if let stream = chunks, stream.isFinished {
        isDone = true
        isClean = result.consumed == count
        trailer = client.trailerToSend(stream.trailerSection)
      }
    case .encodedChunks:
      if count > 0 {
        var size = OutputBuffer(capacity: 20)
        defer { size.deallocate() }
        ChunkedEncoder.appendHead(size: count, to: &size)
        start = bytes - size.count
        memcpy(start, size.base, size.count)
        bytes[count] = 0x0d
        bytes[count + 1] = 0x0a
        length = size.count + count + 2
      }
    case .untilClose: break
    }
    guard client.deliver(head?.0, head?.1 ?? 0, start, length) else { return }
    if !trailer.isEmpty {
      let sent = trailer.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { client.deliver(nil, 0, MutableBytes(mutating: $0), buffer.count) }
      }
      guard sent ?? true else { return }
    }
    if isDone { return client.responseEnded(upstreamIsClean: isClean) }
    if !client.pending.isEmpty {
      setReading(false)
      readSize = Worker.smallRead
      worker.lookAtMemory()
    }
  }
}
