import Effects
import Glibc
import HTTPWire
import LoopRuntime
import ProxyCore

/// A connection being made for a client: where to, and what has been tried.
struct Dial {
  let origin: Origin
  let host: String
  let port: UInt16
  let startedAt: UInt64
  var endpoints: [Endpoint] = []
  var next = 0
  var lastFailure = ProxyError.connectionFailed
}

// Reaching the origin: the pool, the resolver, one address after the other.
extension ClientConnection {
  /// The last used idle connection of the origin. The loop has closed those that ended, except where it is about to in
  /// this very round: those are found out here, without asking the system.
  func takeIdle(_ origin: Origin) -> UpstreamConnection? {
    while let connection = origin.idle.popLast() {
      if !connection.hasUnservedEvent { return connection }
      connection.close()
    }
    return nil
  }

  /// Takes an idle connection for the exchange at hand.
  func attach(_ connection: UpstreamConnection) {
    connection.wake(for: self)
    upstream = connection
    entry.reusedConnection = true
    worker.counters.reuses &+= 1
  }

  /// The host as the resolver takes it: an IPv6 literal loses its brackets.
  func hostText(_ bytes: Bytes, _ start: Int, _ count: Int) -> String {
    var start = start
    var count = count
    if count > 2, bytes[start] == UInt8(ascii: "[") {
      start += 1
      count -= 2
    }
    return String(decoding: UnsafeBufferPointer(start: bytes + start, count: count), as: UTF8.self)
  }

  /// Starts to connect to the origin.
  func dialOrigin(_ origin: Origin, host: String, port: UInt16) {
    let now = EventLoop.nanoseconds()
    dialNumber &+= 1
    dial = Dial(origin: origin, host: host, port: port, startedAt: now)
    phase = .resolving
    loop.setDeadline(self, at: now &+ settings.timeouts.connect)
    setReading(true)
    if let address = SocketAddress.parse(host) { return dial([address]) }
    switch worker.resolved.entry(for: host, at: now) {
    case .addresses(let addresses): dial(addresses)
    case .failure(let error): fail(error, detail: host)
    case nil: lookUp(host)
    }
  }

  private func lookUp(_ host: String) {
    let number = dialNumber
    let client = LoopParcel(self, on: loop)
    let mailbox = loop.mailbox
    worker.shared.resolver.resolve(host) { answer in
      mailbox.post { client.take()?.resolved(host, answer, number) }
    }
  }

  private func resolved(_ host: String, _ answer: Resolver.Answer, _ number: Int) {
    let entry: ResolverCache.Entry
    switch answer {
    case .addresses(let addresses): entry = .addresses(addresses)
    case .notFound: entry = .failure(.nameNotFound)
    case .failed: entry = .failure(.nameLookupFailed)
    }
    worker.resolved.store(entry, for: host, at: EventLoop.nanoseconds())
    guard !isClosed, number == dialNumber, phase == .resolving else { return }
    switch entry {
    case .addresses(let addresses): dial(addresses)
    case .failure(let error): fail(error, detail: host)
    }
  }

  private func dial(_ addresses: [IPAddress]) {
    guard let port = dial?.port else { return }
    dial?.endpoints = addresses.map { Endpoint($0, port: port) }
    phase = .connecting
    dialNext()
  }

  private func dialNext() {
    while let endpoint = dial.flatMap({ $0.next < $0.endpoints.count ? $0.endpoints[$0.next] : nil }),
      let origin = dial?.origin
    {
      dial?.next += 1
      if let refusal = settings.destinations.refusal(of: endpoint) {
        return fail(refusal, detail: "\(endpoint)")
      }
      worker.counters.dials &+= 1
      do throws(SystemError) {
        let descriptor = try worker.startDial(endpoint)
        allotTime()
        upstream = UpstreamConnection(worker, descriptor: descriptor, origin: origin, client: self)
        return
      } catch {
        dial?.lastFailure = ClientConnection.dialError(error)
      }
    }
    guard let dial else { return }
    worker.resolved.forget(dial.host)
    fail(dial.lastFailure, detail: "\(dial.host) port \(dial.port)")
  }

  /// Gives the address at hand its share of what is left of the connect time, so that one that does not answer leaves
  /// time for the others.
  private func allotTime() {
    guard let dial else { return }
    let now = EventLoop.nanoseconds()
    let end = dial.startedAt &+ settings.timeouts.connect
    let left = end > now ? end - now : 0
    loop.setDeadline(self, at: now &+ left / UInt64(max(dial.endpoints.count - dial.next + 1, 1)))
  }

  /// The address at hand has used up its time.
  func dialTimedOut() {
    guard let dial, dial.next < dial.endpoints.count else { return fail(.connectionTimeout) }
    self.dial?.lastFailure = .connectionTimeout
    upstream?.close()
    upstream = nil
    dialNext()
  }

  /// A started connection did not come to stand.
  func dialFailed(_ failure: SystemError) {
    dial?.lastFailure = ClientConnection.dialError(failure)
    upstream?.close()
    upstream = nil
    dialNext()
  }

  private static func dialError(_ failure: SystemError) -> ProxyError {
    switch failure.code {
    case ECONNREFUSED: .connectionRefused
    case ETIMEDOUT: .connectionTimeout
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: .outOfDescriptors
    default: .connectionFailed
    }
  }

  /// The connection stands.
  func connected(_ connection: UpstreamConnection) {
    if let dial {
      entry.connectMicroseconds = Int64((EventLoop.nanoseconds() &- dial.startedAt) / 1000)
    }
    dial = nil
    if exchange.method == .connect { return tunnelStands() }
    if let bytes = input.bytes {
      sendRequest(with: bytes, input.count)
    } else {
      sendRequest(with: worker.scratch, 0)
    }
  }

  /// Sends the request at hand again, on a new connection.
  func dialAgain() {
    guard let buffer = requestBuffer, let origin = upstream?.origin else { return fail(.internalError) }
    worker.counters.retries &+= 1
    entry.reusedConnection = false
    upstream?.close()
    upstream = nil
    // The buffer holds the head for the origin, whose Host line names it; the canonical origin is the pool's key.
    _ = buffer
    let (host, port) = ClientConnection.hostAndPort(ofOrigin: origin.key)
    dialOrigin(origin, host: host, port: port)
  }

  /// Host and port of `http://host[:port]`.
  private static func hostAndPort(ofOrigin key: [UInt8]) -> (String, UInt16) {
    let authority = key.dropFirst(key.starts(with: Array("https://".utf8)) ? 8 : 7)
    let bracket = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
    let colon = authority[bracket...].lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    let port = UInt16(String(decoding: authority[colon...].dropFirst(), as: UTF8.self)) ?? 80
    let host = authority[..<colon].filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
    return (String(decoding: host, as: UTF8.self), port)
  }
}
