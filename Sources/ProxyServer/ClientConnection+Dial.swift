import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore

// Reaching the origin: the pool, the line before a busy origin, the resolver, the race of the addresses.
extension ClientConnection {
  /// An idle connection of the origin, unless others wait for it.
  func takeIdle(_ origin: Origin) -> UpstreamConnection? { origin.waiting.isEmpty ? origin.takeIdle() : nil }

  /// Takes the connection that only this client may use, if it leads to the origin; one that leads elsewhere is given up.
  @inline(__always)
  func takeReserved(_ origin: Origin) -> UpstreamConnection? {
    guard let connection = reserved else { return nil }
    reserved = nil
    if connection.origin === origin, connection.isUsable { return connection }
    connection.close()
    return nil
  }

  /// Gives up the connection that only this client may use.
  func dropReserved() {
    guard let connection = reserved else { return }
    reserved = nil
    connection.close()
  }

  /// Takes an idle connection for the exchange at hand.
  func attach(_ connection: UpstreamConnection) {
    connection.wake(for: self)
    upstream = connection
    entry.reusedConnection = true
    worker.counters.reuses &+= 1
  }

  /// Starts to connect to the origin, or gets in line where it has no room.
  func dialOrigin(_ origin: Origin) {
    let now = EventLoop.nanoseconds()
    let dial = Dial(self, to: origin, at: now)
    self.dial = dial
    phase = .resolving
    setReading(true)
    if worker.hasRoom(at: origin) { return proceed(dial, at: now) }
    guard origin.waiting.count < settings.limits.waitingPerOrigin else { return fail(.originBusy, detail: dial.place) }
    dial.wait()
    loop.setDeadline(self, at: now &+ settings.timeouts.connect)
  }

  /// It is this client's turn, and a connection is free.
  func takeFreed(_ connection: UpstreamConnection) {
    endDial()
    attach(connection)
    sendRequestAtHand()
  }

  /// It is this client's turn to connect.
  func proceed(_ dial: Dial) { proceed(dial, at: EventLoop.nanoseconds()) }

  private func proceed(_ dial: Dial, at now: UInt64) {
    dial.count()
    dial.stage = .resolving
    dial.startedAt = now
    dial.deadline = now &+ settings.timeouts.connect
    loop.setDeadline(self, at: dial.deadline)
    let origin = dial.origin
    if let address = origin.literal { return race(dial, [address], at: now) }
    if let entry = worker.resolved.entry(for: origin.host, at: now) { return resolved(entry, dial) }
    worker.lookUp(origin.host, for: dial)
  }

  /// The addresses of the name are known, or that there are none.
  func resolved(_ entry: ResolverCache.Entry, _ dial: Dial) {
    switch entry {
    case .addresses(let addresses): race(dial, addresses, at: EventLoop.nanoseconds())
    case .failure(let error): fail(error, detail: dial.place)
    }
  }

  private func race(_ dial: Dial, _ addresses: [IPAddress], at now: UInt64) {
    dial.stage = .racing
    dial.race = AddressRace(addresses, port: dial.origin.port)
    phase = .connecting
    advance(dial, at: now)
  }

  /// Starts what the race says, until it has to wait or is lost.
  private func advance(_ dial: Dial, at now: UInt64) {
    let destinations = settings.destinations
    while true {
      let step = dial.race.step(at: now) { dial.origin.refusal(of: $0, by: destinations) }
      switch step {
      case .dial(let endpoint):
        worker.counters.dials &+= 1
        do throws(SystemError) { try dial.attempt(endpoint, for: self) } catch { dial.race.failed(Dial.error(error)) }
      case .wait(let moment):
        return loop.setDeadline(self, at: min(moment ?? UInt64.max, dial.deadline))
      case .lost(let error, let endpoint):
        worker.resolved.forget(dial.origin.host)
        return fail(error, detail: endpoint.map { "\($0)" } ?? dial.place)
      }
    }
  }

  /// One of the attempts did not come to stand.
  func attemptFailed(_ attempt: UpstreamConnection, _ failure: SystemError) {
    guard let dial else { return attempt.close() }
    dial.drop(attempt)
    dial.race.failed(Dial.error(failure))
    advance(dial, at: EventLoop.nanoseconds())
  }

  /// The time is over, for all or for one attempt alone.
  func dialDeadlineReached() {
    guard let dial else { return fail(.internalError) }
    switch dial.stage {
    case .waiting: fail(.originBusy, detail: dial.place)
    case .resolving: fail(.nameLookupTimeout, detail: dial.place)
    case .racing:
      let now = EventLoop.nanoseconds()
      guard now >= dial.deadline else { return advance(dial, at: now) }
      worker.resolved.forget(dial.origin.host)
      fail(.connectionTimeout, detail: dial.place)
    case .negotiating: fail(.responseTimeout, detail: dial.place)
    }
  }

  /// The first of the connections stands.
  func connected(_ connection: UpstreamConnection) {
    guard let dial else { return connection.close() }
    entry.connectMicroseconds = Int64((EventLoop.nanoseconds() &- dial.startedAt) / 1000)
    dial.win(connection)
    upstream = connection
    if exchange.method == .connect, connection.origin.kind == .parent { return askForTunnel(dial, connection) }
    endDial()
    if exchange.method == .connect { tunnelStands() } else { sendRequestAtHand() }
  }

  /// Sends the request with what of its body is at hand; the connection stands.
  private func sendRequestAtHand() {
    if let bytes = input.bytes {
      sendRequest(with: bytes, input.count)
    } else {
      sendRequest(with: worker.scratch, 0)
    }
  }

  /// Lets go of the dial, and of the connections that it has on their way.
  func endDial() {
    guard let dial else { return }
    self.dial = nil
    dial.end()
  }

  /// Sends the request at hand again, on a new connection.
  func dialAgain() {
    guard requestBuffer != nil, let origin = upstream?.origin else { return fail(.internalError) }
    worker.counters.retries &+= 1
    entry.reusedConnection = false
    upstream?.close()
    upstream = nil
    dialOrigin(origin)
  }
}
