import Effects
import HTTPWire
import LoopRuntime
import ProxyCore
import TLSEngine

/// One request on its way, from the wish for a connection to the result; on the loop's thread.
///
/// Each phase but the last ends in the next or in `over`: waiting -> resolving -> connecting -> handshaking (TLS only)
/// -> answering -> over; an idle connection leads from waiting to answering.
final class OutboundExchange {
  private enum Phase { case waiting, resolving, connecting, handshaking, answering, over }

  let call: OutboundCall
  let message: OutboundMessage
  let origin: OutboundOrigin
  private unowned let engine: OutboundEngine
  private var phase = Phase.waiting
  private var ticket: Int?
  private var race = AddressRace([], port: 0)
  /// Connections on their way; the exchange holds the origin's room for them.
  private var attempts: [OutboundConnection] = []
  private var holdsRoom = false
  /// Why the last attempt failed, and where.
  private var attemptFailure: String?
  private var connection: OutboundConnection?
  private var reader: ResponseReader
  /// A byte of the request may be with the peer.
  private var mayHaveArrived = false
  /// The request has been sent again already.
  private var isSecondTry = false
  private var timer: LoopTimer?
  private let deadline: UInt64
  private var phaseDeadline = UInt64.max
  private var raceMoment = UInt64.max

  init(_ engine: OutboundEngine, _ call: OutboundCall, _ message: OutboundMessage, to origin: OutboundOrigin) {
    self.engine = engine
    self.call = call
    self.message = message
    self.origin = origin
    reader = ResponseReader(method: message.method, bodyLimit: engine.options.bodyLimit)
    deadline = OutboundExchange.moment(afterMilliseconds: message.timeoutMilliseconds)
  }

  private static func moment(afterMilliseconds time: Int) -> UInt64 {
    // A day is more than any request takes, and keeps the sum from overflowing.
    EventLoop.nanoseconds() &+ UInt64(min(max(time, 0), 86_400_000)) &* 1_000_000
  }

  func start() {
    timer = LoopTimer(engine.loop) { [unowned self] in timeReached() }
    arm()
    join()
  }

  /// Gets in line for a connection, which may be there at once.
  private func join() {
    phase = .waiting
    ticket = origin.join(self)
    origin.serve()
  }

  // MARK: The ends

  /// The caller does not wait any more, or nobody may.
  func cancel(_ detail: String) { fail(.cancelled, detail) }

  private func fail(_ code: TransportError.Code, _ detail: String) {
    end(.failure(TransportError(code, detail, mayHaveArrived: mayHaveArrived)), keepsConnection: false)
  }

  private func end(_ outcome: OutboundCall.Outcome, keepsConnection: Bool) {
    guard phase != .over else { return }
    phase = .over
    timer?.cancel()
    timer = nil
    if let ticket { origin.leave(ticket) }
    ticket = nil
    dropAttempts()
    let used = connection
    connection = nil
    // The result is there before what it frees is given to others.
    call.finish(outcome)
    if keepsConnection { used?.rest() } else { used?.end() }
    releaseRoom()
    engine.forget(self)
  }

  private func dropAttempts() {
    let open = attempts
    attempts = []
    for attempt in open { attempt.close() }
  }

  private func releaseRoom() {
    guard holdsRoom else { return }
    holdsRoom = false
    origin.release()
  }

  // MARK: Time

  private func arm() {
    let next = min(deadline, phaseDeadline, raceMoment)
    let now = EventLoop.nanoseconds()
    timer?.start(afterMilliseconds: next > now ? Int(clamping: (next - now) / 1_000_000 + 1) : 0)
  }

  private func timeReached() {
    let now = EventLoop.nanoseconds()
    guard now >= min(deadline, phaseDeadline) else {
      if phase == .connecting, now >= raceMoment { advance() } else { arm() }
      return
    }
    if phase == .connecting || phase == .resolving { engine.forgetName(message.authority.host) }
    fail(.timedOut, timeoutDetail(ofPhase: now < deadline))
  }

  private func timeoutDetail(ofPhase: Bool) -> String {
    let what =
      switch phase {
      case .waiting: "all connections to \(origin.authority) were in use"
      case .resolving: "looking up \(origin.authority.host)"
      case .connecting: "connecting to \(origin.authority)"
      case .handshaking: "the TLS handshake with \(origin.authority)"
      case .answering, .over:
        reader.hasBegun
          ? "the response of \(origin.authority) was not complete" : "no response of \(origin.authority)"
      }
    let time =
      switch (ofPhase, phase) {
      case (true, .handshaking): engine.options.handshakeMilliseconds
      case (true, _): engine.options.connectMilliseconds
      case (false, _): message.timeoutMilliseconds
      }
    return "\(what): no end within \(time) ms"
  }

  // MARK: Connecting

  /// There is room for a connection, which the exchange holds now.
  func dial() {
    ticket = nil
    holdsRoom = true
    phase = .resolving
    phaseDeadline = OutboundExchange.moment(afterMilliseconds: engine.options.connectMilliseconds)
    arm()
    engine.resolve(for: self)
  }

  /// The addresses of the host are known, or that there are none.
  func resolved(_ entry: ResolverCache.Entry) {
    guard phase == .resolving else { return }
    switch entry {
    case .addresses(let addresses):
      phase = .connecting
      race = AddressRace(addresses, port: origin.authority.port)
      advance()
    case .failure(let error):
      fail(.unresolved, "\(origin.authority.host): \(OutboundExchange.words(error))")
    }
  }

  private static func words(_ error: ProxyError) -> String {
    switch error {
    case .nameNotFound: "the name does not exist or has no address"
    case .overloaded: "no look-up is possible now, for want of descriptors, memory or threads"
    default: "the look-up failed for now"
    }
  }

  /// Starts what the race says, until it has to wait or is lost.
  private func advance() {
    raceMoment = UInt64.max
    while true {
      switch race.step(at: EventLoop.nanoseconds(), refusal: { _ in nil }) {
      case .dial(let endpoint):
        do throws(SystemError) {
          let descriptor = try Dialer.start(endpoint)
          attempts.append(OutboundConnection(engine, descriptor: descriptor, to: endpoint, of: origin, for: self))
        } catch { noteFailure(error, endpoint) }
      case .wait(let moment):
        raceMoment = moment ?? UInt64.max
        return arm()
      case .lost:
        engine.forgetName(message.authority.host)
        return fail(.unreachable, attemptFailure ?? "\(origin.authority): no address could be tried")
      }
    }
  }

  private func noteFailure(_ failure: SystemError, _ endpoint: Endpoint) {
    attemptFailure = "\(origin.authority): \(endpoint): \(failure)"
    race.failed(.connectionFailed)
  }

  /// One of the attempts did not come to stand.
  func attemptFailed(_ attempt: OutboundConnection, _ failure: SystemError) {
    attempts.removeAll { $0 === attempt }
    attempt.close()
    guard phase == .connecting else { return }
    noteFailure(failure, attempt.endpoint)
    advance()
  }

  /// The first of the attempts stands.
  func connected(_ winner: OutboundConnection) {
    guard phase == .connecting else { return winner.close() }
    attempts.removeAll { $0 === winner }
    dropAttempts()
    raceMoment = UInt64.max
    holdsRoom = false
    winner.holdsRoom = true
    connection = winner
    guard origin.authority.isSecure else { return send() }
    phase = .handshaking
    phaseDeadline = OutboundExchange.moment(afterMilliseconds: engine.options.handshakeMilliseconds)
    arm()
    do throws(TLSFault) { try winner.secure(try engine.tlsContext(), host: origin.authority.host) } catch {
      secureChannelFailed(error)
    }
  }

  /// The handshake is done: the peer is who it should be.
  func secured() {
    if phase == .handshaking { send() }
  }

  /// TLS cannot be, or cannot go on.
  func secureChannelFailed(_ fault: TLSFault) {
    let detail = "\(origin.authority): \(fault.detail)"
    guard phase == .handshaking else { return fail(.interrupted, detail) }
    // A peer that goes away says nothing about trust.
    fail(fault.code == .endedInHandshake ? .unreachable : .untrusted, detail)
  }

  // MARK: The request and its response

  /// An idle connection is there.
  func use(_ idle: OutboundConnection) {
    ticket = nil
    connection = idle
    idle.wake(for: self)
    send()
  }

  private func send() {
    guard let connection else { return }
    phase = .answering
    phaseDeadline = UInt64.max
    arm()
    switch connection.send(message.bytes) {
    case .untouched: sendAgain()
    case .begun: mayHaveArrived = true
    case .waiting: break
    }
  }

  /// The kernel has been given bytes that were waiting.
  func requestMoved() {
    if phase == .answering { mayHaveArrived = true }
  }

  /// The connection was gone before a byte of the request was on it. A kept one may end at any time, so the request,
  /// of which nobody knows, gets another. What ended a new one is still to be read.
  private func sendAgain() {
    guard let used = connection, used.isReused, !isSecondTry else { return }
    isSecondTry = true
    connection = nil
    // First in line, so that the origin is not taken for unused.
    join()
    used.close()
  }

  /// Bytes of the response have come.
  func received(_ bytes: MutableBytes, _ count: Int) { follow(reader.take(bytes, count, engine.parser)) }

  /// The peer has ended its side in the proper way.
  func streamEnded() { follow(reader.end()) }

  /// The connection is broken, for that reason.
  func streamBroke(_ detail: String) {
    fail(phase == .handshaking ? .unreachable : .interrupted, "\(origin.authority): \(detail)")
  }

  private func follow(_ progress: ResponseReader.Progress) {
    guard phase == .answering else { return }
    switch progress {
    case .more: break
    case .complete(let response, let isClean): end(.success(response), keepsConnection: isClean)
    case .malformed(let detail): fail(.malformedResponse, "\(origin.authority): \(detail)")
    case .truncated(let detail): fail(.interrupted, "\(origin.authority): \(detail)")
    }
  }
}
