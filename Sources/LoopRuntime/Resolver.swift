import CLibevent
package import Effects
import Glibc
import Synchronization

/// Names to addresses, off the loops: a few threads that call getaddrinfo(3), so that hosts file, search domains and
/// name service switch work as users expect.
package final class Resolver: Sendable {
  /// What came of a look-up.
  package enum Answer: Sendable {
    /// The addresses in the order of RFC 6724, at least one.
    case addresses([IPAddress])
    /// The name does not exist or has no address.
    case notFound
    /// The look-up failed for now; the words of gai_strerror(3).
    case failed(String)
    /// This process has no descriptors, threads or memory left for a look-up.
    case exhausted(String)
    /// Too many look-ups are waiting already.
    case crowded
  }

  /// Looks one name up; may wait as long as it takes.
  package typealias LookUp = @Sendable (_ host: String) -> Answer

  private typealias Done = @Sendable (Answer) -> Void

  private struct State {
    /// Names that no thread has taken up yet.
    var queue: [String] = []
    /// Who waits for each name that is queued or being looked up.
    var waiting: [String: [Done]] = [:]
    var threads: [NativeThread] = []
    var idle = 0
    var stopped = false

    mutating func finish(_ host: String) -> [Done] { waiting.removeValue(forKey: host) ?? [] }
  }

  private let state = Mutex(State())
  private let wake = Gate()
  private let threadLimit: Int
  private let queueLimit: Int
  private let lookUp: LookUp

  /// A resolver that starts its threads when they are first needed.
  ///
  /// - Parameters:
  ///   - threads: the most of them. A name whose servers are silent holds one for half a minute.
  ///   - queue: the most names that wait for a thread.
  ///   - lookUp: what the threads call; by default getaddrinfo(3).
  package init(threads: Int = 32, queue: Int = 1024, lookUp: @escaping LookUp = Resolver.systemLookUp) {
    threadLimit = threads
    queueLimit = queue
    self.lookUp = lookUp
  }

  /// Looks the name up, once for all who ask before the answer is there; `done` is called on one of the resolver's
  /// threads, or at once on the caller's.
  package func resolve(_ host: String, _ done: @escaping @Sendable (Answer) -> Void) {
    enum Next { case joined, queued, refused, start }
    let next = state.withLock { state -> Next in
      guard !state.stopped else { return .refused }
      if state.waiting[host] != nil {
        state.waiting[host]?.append(done)
        return .joined
      }
      guard state.queue.count < queueLimit else { return .refused }
      state.queue.append(host)
      state.waiting[host] = [done]
      return state.queue.count > state.idle && state.threads.count < threadLimit ? .start : .queued
    }
    switch next {
    case .joined: break
    case .refused: done(.crowded)
    case .queued: wake.signal()
    case .start:
      do throws(SystemError) {
        let thread = try NativeThread(name: "resolver") { [self] in work() }
        state.withLock { $0.threads.append(thread) }
      } catch {
        refuseAllWithoutThreads(error)
      }
      wake.signal()
    }
  }

  /// What is queued stays so for the threads there are; with none it must be answered here.
  private func refuseAllWithoutThreads(_ error: SystemError) {
    let all = state.withLock { state -> [Done] in
      guard state.threads.isEmpty else { return [] }
      defer { state.queue = [] }
      return state.queue.flatMap { state.finish($0) }
    }
    for done in all { done(.exhausted(error.description)) }
  }

  /// Ends the threads after the look-ups at hand.
  package func stop() {
    let threads = state.withLock { state in
      state.stopped = true
      return state.threads
    }
    for _ in threads { wake.signal() }
    for thread in threads { thread.join() }
  }

  private func work() {
    while true {
      state.withLock { $0.idle += 1 }
      wake.wait()
      let host = state.withLock { state -> String? in
        state.idle -= 1
        return state.queue.isEmpty ? nil : state.queue.removeFirst()
      }
      if let host {
        let answer = lookUp(host)
        for done in state.withLock({ $0.finish(host) }) { done(answer) }
      } else if state.withLock({ $0.stopped }) {
        return
      }
    }
  }

  /// Asks getaddrinfo(3).
  package static let systemLookUp: LookUp = { host in
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    errno = 0
    let result = getaddrinfo(host, nil, &hints, &first)
    let code = errno
    defer { if let first { freeaddrinfo(first) } }
    if result == 0 {
      var addresses: [IPAddress] = []
      var next = first
      while let entry = next, addresses.count < Resolver.addressLimit {
        if let raw = entry.pointee.ai_addr, let endpoint = SocketAddress.endpoint(raw) {
          addresses.append(endpoint.address)
        }
        next = entry.pointee.ai_next
      }
      return addresses.isEmpty ? .notFound : .addresses(addresses)
    }
    // Without descriptors the hosts file and the name servers cannot be read, and what the library makes of it may be
    // any code, also that there is no such name.
    if result == EAI_MEMORY || SystemError.isExhaustion(code) || !Resolver.canOpen() {
      return .exhausted(String(cString: gai_strerror(result)))
    }
    switch result {
    case EAI_NONAME, Resolver.noAddress: return .notFound
    default: return .failed(String(cString: gai_strerror(result)))
    }
  }

  /// The most addresses taken from one answer.
  private static let addressLimit = 4096

  /// Whether this process can have another descriptor.
  private static func canOpen() -> Bool {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return !SystemError.isExhaustion(errno) }
    close(descriptor)
    return true
  }

  /// EAI_NODATA, which the headers show only under _GNU_SOURCE.
  private static let noAddress: CInt = -5
}
