import Effects
import HTTPWire
import LoopRuntime
import ProxyCore
import TLSEngine

/// What the transport has on its loop: origins, exchanges, names. Everything belongs to the loop's thread.
final class OutboundEngine {
  let loop: EventLoop
  let options: OutboundOptions
  let parser = HeadParser()
  /// Where the bytes of all connections come in, one after the other.
  let scratch = MutableBytes.allocate(capacity: OutboundEngine.readSize)
  /// What of them was encrypted.
  let plaintext = MutableBytes.allocate(capacity: OutboundEngine.plaintextSize)
  /// Made when the first URL asks for TLS: until then no root is in memory.
  private var secureContext: TLSContext?
  private let resolver: Resolver
  private var names = ResolverCache(capacity: 64)
  private var lookUps = SharedLookUps<OutboundExchange>()
  private var origins: [OutboundAuthority: OutboundOrigin] = [:]
  private var exchanges: [ObjectIdentifier: OutboundExchange] = [:]
  private var isStopping = false
  /// How the answers of the resolver come back; set before the loop runs.
  var reference: OutboundReference?

  static let readSize = 16 << 10
  /// What was read, and what is left of a record that began before (RFC 8446, section 5.2).
  static let plaintextSize = readSize + 17 << 10

  init(_ loop: EventLoop, _ options: OutboundOptions, _ resolver: Resolver) {
    self.loop = loop
    self.options = options
    self.resolver = resolver
  }

  deinit {
    scratch.deallocate()
    plaintext.deallocate()
  }

  // MARK: Exchanges

  /// Begins the exchange that the call waits for.
  func start(_ call: OutboundCall, _ message: OutboundMessage) {
    guard !call.isCancelled else { return call.finish(.failure(OutboundEngine.cancelled)) }
    let exchange = OutboundExchange(self, call, message, to: origin(message.authority))
    exchanges[ObjectIdentifier(call)] = exchange
    exchange.start()
  }

  /// The caller gave up.
  func cancel(_ call: OutboundCall) { exchanges[ObjectIdentifier(call)]?.cancel("the caller gave up") }

  func forget(_ exchange: OutboundExchange) {
    exchanges[ObjectIdentifier(exchange.call)] = nil
    tidy(exchange.origin)
  }

  static let cancelled = TransportError(.cancelled, "the caller gave up before the request began")

  private func origin(_ authority: OutboundAuthority) -> OutboundOrigin {
    if let origin = origins[authority] { return origin }
    let origin = OutboundOrigin(authority, limit: options.connectionsPerOrigin)
    origins[authority] = origin
    return origin
  }

  /// Forgets the origin when nothing of it is left.
  func tidy(_ origin: OutboundOrigin) {
    if origin.isUnused, origins[origin.authority] === origin { origins[origin.authority] = nil }
  }

  /// Keeps the connection for the next request, if there is room and time for that.
  func keep(_ connection: OutboundConnection) -> Bool {
    !isStopping && connection.origin.keep(connection, limit: options.idlePerOrigin)
  }

  /// Ends all exchanges and connections.
  func stop() {
    isStopping = true
    for exchange in Array(exchanges.values) { exchange.cancel("the transport is stopped") }
    for origin in Array(origins.values) { origin.closeIdle() }
  }

  /// The roots and rules of TLS, read the first time and after each failure to read them.
  func tlsContext() throws(TLSFault) -> TLSContext {
    if let secureContext { return secureContext }
    let context = try TLSContext(client: TLSTrust(files: options.certificateFiles))
    secureContext = context
    return context
  }

  // MARK: Names

  /// Gives the addresses of the exchange's host to it, at once or later.
  func resolve(for exchange: OutboundExchange) {
    let host = exchange.message.authority.host
    if let address = SocketAddress.parse(host) { return exchange.resolved(.addresses([address])) }
    if let entry = names.entry(for: host, at: EventLoop.nanoseconds()) { return exchange.resolved(entry) }
    guard lookUps.join(host, exchange), let reference else { return }
    resolver.resolve(host) { answer in
      reference.post { $0.answered(host, answer) }
    }
  }

  /// The host's addresses did not work.
  func forgetName(_ host: String) { names.forget(host) }

  private func answered(_ host: String, _ answer: Resolver.Answer) {
    let entry: ResolverCache.Entry =
      switch answer {
      case .addresses(let addresses): .addresses(AddressRace.order(addresses))
      case .notFound: .failure(.nameNotFound)
      case .failed: .failure(.nameLookupFailed)
      case .exhausted, .crowded: .failure(.overloaded)
      }
    let known = names.store(entry, for: host, at: EventLoop.nanoseconds())
    for exchange in lookUps.finish(host) { exchange.resolved(known) }
  }
}

/// The way to the engine for other threads, which does not keep it alive.
final class OutboundReference: Sendable {
  private let mailbox: LoopMailbox
  private weak let engine: LoopBound<OutboundEngine>?

  init(_ engine: LoopBound<OutboundEngine>, _ mailbox: LoopMailbox) {
    self.engine = engine
    self.mailbox = mailbox
  }

  /// Runs the job on the loop, unless the engine has gone.
  func post(_ job: @escaping @Sendable (OutboundEngine) -> Void) {
    mailbox.post { [weak engine] in
      if let engine { job(engine.value) }
    }
  }
}
