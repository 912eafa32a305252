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
  }

  private struct Job {
    let host: String
    let done: @Sendable (Answer) -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var threads: [NativeThread] = []
    var idle = 0
    var stopped = false
  }

  private let state = Mutex(State())
  private let wake = Gate()
  private let threadLimit: Int
  private let queueLimit: Int

  /// A resolver that starts its threads when they are first needed.
  package init(threads: Int = 4, queue: Int = 1024) {
    threadLimit = threads
    queueLimit = queue
  }

  /// Looks the name up; `done` is called on one of the resolver's threads.
  package func resolve(_ host: String, _ done: @escaping @Sendable (Answer) -> Void) {
    enum Next { case queued, refused, start }
    let next = state.withLock { state -> Next in
      guard !state.stopped, state.jobs.count < queueLimit else { return .refused }
      state.jobs.append(Job(host: host, done: done))
      return state.jobs.count > state.idle && state.threads.count < threadLimit ? .start : .queued
    }
    switch next {
    case .refused: done(.failed("too many look-ups are waiting"))
    case .queued: wake.signal()
    case .start:
      do throws(SystemError) {
        let thread = try NativeThread(name: "resolver") { [self] in work() }
        state.withLock { $0.threads.append(thread) }
      } catch {
        // The job stays queued for the threads there are; with none it must be answered here.
        guard state.withLock({ $0.threads.isEmpty }) else { return wake.signal() }
        for job in state.withLock({ state in
          defer { state.jobs = [] }
          return state.jobs
        }) {
          job.done(.failed(error.description))
        }
      }
      wake.signal()
    }
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
      let job = state.withLock { state -> Job? in
        state.idle -= 1
        return state.jobs.isEmpty ? nil : state.jobs.removeFirst()
      }
      if let job {
        job.done(Resolver.lookUp(job.host))
      } else if state.withLock({ $0.stopped }) {
        return
      }
    }
  }

  private static func lookUp(_ host: String) -> Answer {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, nil, &hints, &first)
    defer { if let first { freeaddrinfo(first) } }
    switch result {
    case 0:
      var addresses: [IPAddress] = []
      var next = first
      while let entry = next, addresses.count < 16 {
        if let raw = entry.pointee.ai_addr, let endpoint = SocketAddress.endpoint(raw) {
          addresses.append(endpoint.address)
        }
        next = entry.pointee.ai_next
      }
      return addresses.isEmpty ? .notFound : .addresses(addresses)
    case EAI_NONAME, Resolver.noAddress: return .notFound
    default: return .failed(String(cString: gai_strerror(result)))
    }
  }

  /// EAI_NODATA, which the headers show only under _GNU_SOURCE.
  private static let noAddress: CInt = -5
}
