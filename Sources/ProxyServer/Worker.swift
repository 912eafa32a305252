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
    listeners.append(listener)
    return listener.endpoint ?? endpoint
  }

  private func accepted(_ descriptor: CInt, from address: IPAddress?) {
    counters.clientsAccepted += 1
    let client = ClientConnection(self, descriptor: descriptor, address: address)
    clients[ObjectIdentifier(client)] = client
    counters.clientsOpen = clients.count
    if clients.count > max(snapshot.settings.limits.connections / shared.workerCount, 1) {
      client.refuse(.overloaded)
    } else if !snapshot.settings.admits(address) {
      client.refuse(.clientProhibited)
    } else {
      client.start()
    }
  }

  func closed(_ client: ClientConnection) {
    clients[ObjectIdentifier(client)] = nil
    counters.clientsOpen = clients.count
    if isDraining, clients.isEmpty { finishDraining() }
  }

  // MARK: Snapshot and time

  /// The snapshot for a request that starts now: newer than the last reload, reset and expiry.
  @inline(__always)
  func currentSnapshot(_ nowMilliseconds: Int64) -> InjectionSnapshot {
    if shared.snapshots.currentGeneration != snapshot.generation { adopt(shared.snapshots.snapshot) }
    if !snapshot.validity.contains(nowMilliseconds) { renew() }
    return snapshot
  }

  /// The `Date` line for a message that lacks one.
  func dateLine() -> [UInt8] { date.line(at: EventLoop.wallMilliseconds()) }

  private func renew() {
    shared.renew()
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
      for buffer in spareBuffers { buffer.deallocate() }
      spareBuffers = []
    }
    countInjections(newer)
    let rulesChanged = newer.rules !== snapshot.rules
    snapshot = newer
    readTimeout = newer.settings.timeouts.read
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
    return OutputBuffer(capacity: max(Worker.spareCapacity, capacity))
  }

  func giveBack(_ buffer: OutputBuffer) {
    if buffer.capacity == Worker.spareCapacity, spareBuffers.count < 256 {
      var buffer = buffer
      buffer.reset()
      spareBuffers.append(buffer)
    } else {
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
    rules: [Int32], moreRules: [Int32], snapshot: InjectionSnapshot
  ) {
    if batch.isEmpty {
      if batchTimer == nil { batchTimer = LoopTimer(loop) { [unowned self] in handOver() } }
      batchTimer?.start(afterMilliseconds: 20)
    }
    batch.append(entry, method: method, url: url, rules: rules, moreRules: moreRules, snapshot: snapshot)
    if batch.byteCount > 128 << 10 { handOver() }
  }

  private func handOver() {
    guard !batch.isEmpty else { return }
    let full = batch
    batch = RecordBatch()
    shared.sink(full)
  }

  // MARK: Ending

  /// Stops accepting, closes what is idle and calls back once every client has gone.
  func drain(_ done: @escaping () -> Void) {
    isDraining = true
    drained = done
    for listener in listeners { listener.close() }
    listeners = []
    for client in clients.values { client.drain() }
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

  private func closeIdle() {
    origins.forEach { origin in for connection in origin.idle { connection.close() } }
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
  /// Takes finished exchanges; must not wait.
  let sink: @Sendable (RecordBatch) -> Void
  /// Publishes a newer snapshot because the current one has expired.
  let renew: @Sendable () -> Void
}
