import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore
import URLRules

/// One thread of the proxy: its loop, its connections, its pool. Nothing here is touched by another thread.
final class Worker {
  /// Room before the scratch for a chunk's head, which is written in front of the bytes of a body.
  static let headroom = 32
  /// The most read at once.
  static let largeRead = 512 << 10
  /// So much at once makes it worth moving the next bytes through a pipe instead of copying them.
  static let bulkRead = 32 << 10
  /// Read at once while a response head is expected: a small response whole, and of a large one not more than a client
  /// that does not read may make the proxy hold.
  static let headRead = 64 << 10
  /// Read at once from a client, and for a peer that is slow to take it.
  static let smallRead = 32 << 10
  /// Idle upstream connections of the worker, over all origins.
  static let idleLimit = 1024

  let loop: EventLoop
  let shared: WorkerShared
  private let scratchBlock: MutableBytes
  /// Where bytes are received; with headroom before and room for a line end behind.
  let scratch: MutableBytes
  private(set) var requestParser: HeadParser
  private(set) var responseParser: HeadParser
  /// Where response heads and own answers are written.
  var output: OutputBuffer
  /// Where canonical URLs are written.
  var subject: OutputBuffer
  private(set) var snapshot: InjectionSnapshot
  /// The snapshot's `timeouts.read`, because every step of an exchange asks for it.
  private(set) var readTimeout: UInt64
  let origins: OriginTable
  var resolved: ResolverCache
  var lookUps = SharedLookUps<Dial>()
  /// Connections that this worker may have to one origin.
  private(set) var connectionShare: Int
  private let number: Int
  var counters = WorkerCounters()
  /// What is known of the passwords that clients have sent.
  var credentials = CredentialCache()
  private(set) var gauge = MemoryGauge()
  private var gaugeTimer: LoopTimer?
  /// For bodies and tunnels that come in bulk. Each may keep a MiB in the kernel while its reader is slow; beyond these
  /// few, bytes are copied.
  let pipes = TransferPipePool(limit: 16)
  private(set) var isDraining = false
  private var listeners: [Listener] = []
  private var date = DateField()
  private var batch = RecordBatch()
  private var batchTimer: LoopTimer?
  private var spareBuffers: [OutputBuffer] = []
  private var addition: Int
  private var clients: [ObjectIdentifier: ClientConnection] = [:]
  /// Clients that count towards the limit of connections: not those that are being told that they do not.
  private var admitted = 0
  private var drained: (() -> Void)?

  /// - Parameter number: which of the workers this is, from 0.
  init(_ shared: WorkerShared, number: Int, seed: UInt64) throws(SystemError) {
    loop = try EventLoop()
    self.number = number
    self.shared = shared
    snapshot = shared.snapshots.snapshot
    readTimeout = snapshot.settings.timeouts.read
    scratchBlock = .allocate(capacity: Worker.headroom + Worker.largeRead + InputBuffer.slack)
    scratch = scratchBlock + Worker.headroom
    let limits = snapshot.settings.limits.head
    requestParser = HeadParser(limits: limits)
    responseParser = HeadParser(limits: limits)
    output = OutputBuffer(capacity: Worker.outputCapacity(limits))
    subject = OutputBuffer(capacity: limits.requestLine * 3 + 64)
    origins = OriginTable(seed: seed)
    resolved = ResolverCache(capacity: snapshot.settings.limits.resolverCache)
    addition = Worker.additions(shared, snapshot)
    connectionShare = ProxyLimits.share(
      of: snapshot.settings.limits.connectionsPerOrigin, worker: number, of: shared.workerCount)
    countInjections(snapshot)
    countRules()
    gaugeTimer = LoopTimer(loop) { [unowned self] in watchMemory() }
    watchMemory()
  }

  deinit {
    scratchBlock.deallocate()
    output.deallocate()
    subject.deallocate()
    for buffer in spareBuffers { buffer.deallocate() }
  }

  private static func outputCapacity(_ limits: HeadLimits) -> Int { limits.head + 16_384 }

  // MARK: Listening

  /// Listens on the endpoint and returns the one the kernel gave.
  func listen(on endpoint: Endpoint) throws(SystemError) -> Endpoint {
    let listener = try Listener(loop, on: endpoint, sharing: true) { [unowned self] in accepted($0, from: $1) }
    listener.relief = Listener.Relief(
      release: { [unowned self] in makeRoom() }, turnAway: { [unowned self] in turnAway($0, .outOfDescriptors) })
    listeners.append(listener)
    return listener.endpoint ?? endpoint
  }

  private func accepted(_ descriptor: CInt, from address: IPAddress?) {
    counters.clientsAccepted += 1
    // Who may connect is a matter of the last reload, also where nobody who might has sent a request since.
    adoptNewer()
    if clients.count - admitted > Worker.refusedLimit { return turnAway(descriptor, .overloaded) }
    let client = ClientConnection(self, descriptor: descriptor, address: address)
    clients[ObjectIdentifier(client)] = client
    counters.clientsOpen = clients.count
    guard snapshot.settings.admits(address) else { return client.refuse(.clientProhibited) }
    do throws(ProcessLedger.Refusal) {
      client.addressIsCounted = try shared.ledger.enter(address, snapshot.settings.limits)
      client.isAdmitted = true
      admitted += 1
      client.start()
    } catch {
      client.refuse(error.error)
    }
  }

  /// Refused clients that are given the time to read why; more are turned away at once.
  private static let refusedLimit = 256

  /// Answers without a connection of its own, as far as the kernel takes it at once, and closes.
  private func turnAway(_ descriptor: CInt, _ error: ProxyError) {
    counters.requests &+= 1
    counters.errors[Int(error.rawValue)] &+= 1
    counters.responses[WorkerCounters.slot(.local, status: error.status)] &+= 1
    output.reset()
    ErrorPage.append(to: &output, error, date: dateLine(), detail: "", withoutBody: false, closes: true)
    StreamSocket.sendOnce(descriptor, UnsafePointer(output.base), output.count)
  }

  func closed(_ client: ClientConnection) {
    clients[ObjectIdentifier(client)] = nil
    counters.clientsOpen = clients.count
    if client.isAdmitted {
      admitted -= 1
      shared.ledger.leave(client.address, wasCounted: client.addressIsCounted)
    }
    if isDraining, clients.isEmpty { finishDraining() }
  }

  /// Starts to connect; with no descriptor left, what is idle gives its own.
  func startDial(_ endpoint: Endpoint) throws(SystemError) -> CInt {
    do throws(SystemError) {
      return try Dialer.start(endpoint)
    } catch {
      guard SystemError.isExhaustion(error.code), makeRoom() else { throw error }
      return try Dialer.start(endpoint)
    }
  }

  /// Closes what can be had again when it is needed, for its descriptors: spare pipes, or if there are none clients that
  /// have had their last answer, or else the connections that wait in the pool. False when there is nothing.
  func makeRoom() -> Bool { pipes.closeSpare() > 0 || closeLingering() > 0 || closeIdle() > 0 }

  /// Closes the clients that are only kept so that their answer is not lost; returns how many there were.
  private func closeLingering() -> Int {
    let over = clients.values.filter { $0.phase == .lingering }
    for client in over { client.close() }
    return over.count
  }

  // MARK: Memory

  /// Whether the process holds more than it may.
  func isShortOfMemory() -> Bool {
    guard snapshot.settings.limits.memory != nil else { return false }
    lookAtMemory()
    return gauge.isShort
  }

  /// To be called where much has been taken in that could not be passed on.
  func lookAtMemory() {
    guard let limit = snapshot.settings.limits.memory else { return }
    gauge.look(held: loop.bytesHeld, limit: limit, shared.ledger)
    if gauge.isShort, !spareBuffers.isEmpty { dropSpares() }
  }

  /// Spare buffers count as held: while memory is short there are none.
  private func dropSpares() {
    loop.bytesHeld &-= spareBuffers.count * Worker.spareCapacity
    for buffer in spareBuffers { buffer.deallocate() }
    spareBuffers = []
  }

  /// Looks now and then, because what frees memory asks nothing.
  private func watchMemory() {
    gauge.look(held: loop.bytesHeld, limit: snapshot.settings.limits.memory, shared.ledger)
    if snapshot.settings.limits.memory != nil { gaugeTimer?.start(afterMilliseconds: 100) }
  }

  // MARK: Snapshot and time

  /// The snapshot for a request that starts now: newer than the last reload, reset and expiry.
  @inline(__always)
  func currentSnapshot(_ nowMilliseconds: Int64) -> InjectionSnapshot {
    adoptNewer()
    if !snapshot.validity.contains(nowMilliseconds) { renew() }
    return snapshot
  }

  /// The `Date` line for a message that lacks one.
  func dateLine() -> [UInt8] { date.line(at: EventLoop.wallMilliseconds()) }

  private func renew() {
    shared.renew()
    adoptNewer()
  }

  @inline(__always)
  private func adoptNewer() {
    if shared.snapshots.currentGeneration != snapshot.generation { adopt(shared.snapshots.snapshot) }
  }

  private func adopt(_ newer: InjectionSnapshot) {
    if newer.settings.limits.head != snapshot.settings.limits.head {
      let limits = newer.settings.limits.head
      requestParser = HeadParser(limits: limits)
      responseParser = HeadParser(limits: limits)
      output.deallocate()
      output = OutputBuffer(capacity: Worker.outputCapacity(limits))
      subject.deallocate()
      subject = OutputBuffer(capacity: limits.requestLine * 3 + 64)
      dropSpares()
    }
    countInjections(newer)
    let rulesChanged = newer.rules.family !== snapshot.rules.family
    if newer.settings.users != snapshot.settings.users { credentials.removeAll() }
    let memoryChanged = newer.settings.limits.memory != snapshot.settings.limits.memory
    snapshot = newer
    readTimeout = newer.settings.timeouts.read
    if memoryChanged { watchMemory() }
    addition = Worker.additions(shared, newer)
    connectionShare = ProxyLimits.share(
      of: newer.settings.limits.connectionsPerOrigin, worker: number, of: shared.workerCount)
    if rulesChanged { countRules() }
  }

  private func countInjections(_ snapshot: InjectionSnapshot) {
    let missing = snapshot.injections.count - counters.injected.count
    if missing > 0 { counters.injected += [Int](repeating: 0, count: missing) }
  }

  private func countRules() {
    counters.ruleMatches = [Int](repeating: 0, count: snapshot.rules.names.count)
    counters.ruleFailures = counters.ruleMatches
  }

  // MARK: Buffers

  /// A buffer for the head of a request and its URL, together so long as received, as long as the exchange lasts.
  func takeBuffer(for length: Int) -> OutputBuffer {
    let capacity = length + addition
    if capacity <= Worker.spareCapacity, let spare = spareBuffers.popLast() { return spare }
    let buffer = OutputBuffer(capacity: max(Worker.spareCapacity, capacity))
    loop.bytesHeld &+= buffer.capacity
    return buffer
  }

  func giveBack(_ buffer: OutputBuffer) {
    if buffer.capacity == Worker.spareCapacity, spareBuffers.count < 256, !gauge.isShort {
      var buffer = buffer
      buffer.reset()
      spareBuffers.append(buffer)
    } else {
      loop.bytesHeld &-= buffer.capacity
      buffer.deallocate()
    }
  }

  private static let spareCapacity = 16_384

  /// What a rewritten head can have more than the received one: `Host`, `Via`, `Max-Forwards` and the injected lines.
  private static func additions(_ shared: WorkerShared, _ snapshot: InjectionSnapshot) -> Int {
    let fixed =
      512 + (shared.requestRewriter.via?.length ?? 0) + (snapshot.settings.parent?.authorizationLine?.count ?? 0)
    return snapshot.injections.reduce(fixed) { $0 + $1.line.count }
  }

  // MARK: Records

  func record(
    _ entry: RecordBatch.Entry, method: UnsafeBufferPointer<UInt8>, url: UnsafeBufferPointer<UInt8>,
    rules: [Int32], moreRules: [Int32], user: [UInt8], snapshot: InjectionSnapshot
  ) {
    if batch.isEmpty {
      if batchTimer == nil { batchTimer = LoopTimer(loop) { [unowned self] in handOver() } }
      batchTimer?.start(afterMilliseconds: 20)
    }
    batch.append(entry, method: method, url: url, rules: rules, moreRules: moreRules, user: user, snapshot: snapshot)
    if batch.byteCount > 128 << 10 { handOver() }
  }

  /// Gives away the records of exchanges that are over.
  func handOver() {
    guard !batch.isEmpty else { return }
    let full = batch
    batch = RecordBatch()
    shared.sink(full)
  }

  // MARK: Ending

  /// Stops accepting, closes what is idle and calls back once every client has gone.
  func drain(_ done: @escaping () -> Void) {
    isDraining = true
    let present = Array(clients.values)
    // Those that wait in the kernel's queues would be reset: they are served once, and end.
    for listener in listeners { listener.drain() }
    listeners = []
    for client in present { client.drain() }
    drained = done
    if clients.isEmpty { finishDraining() }
  }

  /// Cuts every connection.
  func abort() {
    listeners = []
    for client in clients.values { client.abandon(.shuttingDown) }
    closeIdle()
    handOver()
    finishDraining()
  }

  /// Closes the connections that wait in the pool; how many there were.
  @discardableResult
  private func closeIdle() -> Int {
    let count = counters.upstreamsIdle
    origins.forEach { origin in for connection in origin.idle { connection.close() } }
    return count
  }

  private func finishDraining() {
    guard let done = drained else { return }
    drained = nil
    closeIdle()
    handOver()
    done()
  }

  /// The counts, with those that are read elsewhere.
  func currentCounters() -> WorkerCounters {
    var result = counters
    result.acceptPauses = listeners.reduce(0) { $0 + $1.pauses }
    return result
  }
}

/// What all workers use together; every member may be used from any thread.
struct WorkerShared: Sendable {
  let snapshots: SnapshotBox
  let resolver: Resolver
  let requestRewriter: RequestRewriter
  let responseRewriter: ResponseRewriter
  /// How this instance names itself in `Via`; nil when it does not.
  let viaPseudonym: [UInt8]
  let workerCount: Int
  let ledger = ProcessLedger()
  let verifier = CredentialVerifier()
  /// Takes finished exchanges; must not wait.
  let sink: @Sendable (RecordBatch) -> Void
  /// Publishes a newer snapshot because the current one has expired.
  let renew: @Sendable () -> Void
  /// Told that a match lacks headers that a backend has yet to confirm.
  let awaited: @Sendable () -> Void
}
