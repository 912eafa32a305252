package import Effects

/// Connecting to one of several addresses by RFC 8305 ("Happy Eyeballs"), as a machine without sockets: it says which
/// address to try next and when, and is told what became of each attempt.
///
/// The first attempt that succeeds has won; closing the others is the caller's part, as is the time for all together.
package struct AddressRace: Sendable {
  /// What to do now.
  package enum Step: Sendable, Equatable {
    /// Start to connect to the endpoint, then ask again.
    case dial(Endpoint)
    /// Ask again at that moment or when an attempt has failed; nil: only then.
    case wait(until: UInt64?)
    /// No attempt is left. The endpoint is the one that must not be dialled, if that was it.
    case lost(ProxyError, Endpoint?)
  }

  /// How long an attempt has before the next one joins it, nanoseconds (RFC 8305, section 5).
  package static let attemptDelay: UInt64 = 250_000_000
  /// The most addresses of a name that are tried.
  package static let addressLimit = 16

  private let endpoints: [Endpoint]
  private var next = 0
  private var running = 0
  private var nextMoment: UInt64 = 0
  private var failure: ProxyError?
  private var refusal: (error: ProxyError, endpoint: Endpoint)?

  /// A race to a port of those addresses, which are in the order of `order(_:)`.
  package init(_ addresses: [IPAddress], port: UInt16) {
    endpoints = addresses.map { Endpoint($0, port: port) }
  }

  /// The addresses in the order in which they are tried: that of the resolver (RFC 6724), the families taking turns, the
  /// first one's first (RFC 8305, section 4); each once, and not more than the limit.
  package static func order(_ addresses: [IPAddress]) -> [IPAddress] {
    guard addresses.count > 1, let first = addresses.first else { return addresses }
    // Of each family as many as could be needed, so that ten thousand of one do not hide the other.
    var preferred: [IPAddress] = []
    var other: [IPAddress] = []
    for address in addresses {
      if address.isIPv6 == first.isIPv6 {
        if preferred.count < addressLimit, !preferred.contains(address) { preferred.append(address) }
      } else if other.count < addressLimit, !other.contains(address) {
        other.append(address)
      }
    }
    var order: [IPAddress] = []
    for index in 0..<max(preferred.count, other.count) {
      if index < preferred.count { order.append(preferred[index]) }
      if index < other.count { order.append(other[index]) }
    }
    return Array(order.prefix(addressLimit))
  }

  /// The next step at that moment on the monotonic clock, nanoseconds.
  ///
  /// - Parameter refusal: why an endpoint must not be dialled. Such a one is passed over; the refusal is the answer only
  ///   when nothing else was there to try.
  package mutating func step(at now: UInt64, refusal refusing: (Endpoint) -> ProxyError?) -> Step {
    while next < endpoints.count {
      if running > 0, now < nextMoment { return .wait(until: nextMoment) }
      let endpoint = endpoints[next]
      next &+= 1
      if let error = refusing(endpoint) {
        if refusal == nil { refusal = (error, endpoint) }
        continue
      }
      running &+= 1
      nextMoment = now &+ AddressRace.attemptDelay
      return .dial(endpoint)
    }
    if running > 0 { return .wait(until: nil) }
    if let failure { return .lost(failure, nil) }
    if let refusal { return .lost(refusal.error, refusal.endpoint) }
    return .lost(.nameNotFound, nil)
  }

  /// One of the attempts did not come to stand: the next may start at once (RFC 8305, section 5).
  package mutating func failed(_ error: ProxyError) {
    running = max(running &- 1, 0)
    nextMoment = 0
    if AddressRace.usefulness(error) > (failure.map(AddressRace.usefulness) ?? -1) { failure = error }
  }

  /// How much a failure tells: what this machine lacks before what a host said, and that before silence and missing
  /// routes, which often only say that one family does not work here.
  private static func usefulness(_ error: ProxyError) -> Int {
    switch error {
    case .overloaded: 3
    case .connectionRefused: 2
    case .connectionTimeout: 1
    default: 0
    }
  }
}
