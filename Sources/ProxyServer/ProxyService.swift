package import Effects
package import LoopRuntime
package import ProxyCore
import Synchronization

/// The proxy as a whole: its workers, each with a thread, a loop and listeners of its own.
package final class ProxyService: Sendable {
  /// What the service is made of.
  package struct Parts: Sendable {
    /// Where to listen; port 0 takes a free one.
    package var listen: [Endpoint]
    package var workers: Int
    /// The first snapshot and all later ones.
    package var snapshots: SnapshotBox
    package var resolver: Resolver
    /// The pseudonym in `Via`; nil adds no `Via` field.
    package var viaPseudonym: String
    /// Whether `Via` is added to messages. Loops are noticed by it, so leave it on where proxies are chained.
    package var addsVia: Bool
    /// A random number, so that nobody can choose host names that fall together in a table.
    package var seed: UInt64
    /// Takes finished exchanges; called on worker threads, must not wait.
    package var sink: @Sendable (RecordBatch) -> Void
    /// Publishes a newer snapshot when the current one has expired; called on worker threads.
    package var renew: @Sendable () -> Void
    /// Told when a request matched whose headers a backend has yet to confirm; on worker threads, often.
    package var awaited: @Sendable () -> Void

    package init(
      listen: [Endpoint], workers: Int, snapshots: SnapshotBox, resolver: Resolver, viaPseudonym: String, addsVia: Bool,
      seed: UInt64, sink: @escaping @Sendable (RecordBatch) -> Void, renew: @escaping @Sendable () -> Void,
      awaited: @escaping @Sendable () -> Void = {}
    ) {
      self.listen = listen
      self.workers = workers
      self.snapshots = snapshots
      self.resolver = resolver
      self.viaPseudonym = viaPseudonym
      self.addsVia = addsVia
      self.seed = seed
      self.sink = sink
      self.renew = renew
      self.awaited = awaited
    }
  }

  /// Why the service could not start.
  package struct StartError: Error, Sendable, CustomStringConvertible {
    /// The endpoint that could not be had; nil when something else failed.
    package let endpoint: Endpoint?
    package let cause: SystemError
    package var description: String { endpoint.map { "cannot listen on \($0): \(cause.reason)" } ?? cause.description }
  }

  private struct Member: Sendable {
    let worker: LoopBound<Worker>
    let mailbox: LoopMailbox
    let thread: NativeThread
  }

  private let members: [Member]
  private let verifier: CredentialVerifier
  private let isStopped = Atomic(false)
  /// Where the service listens, with the ports that the kernel gave.
  package let endpoints: [Endpoint]

  /// Listens and starts the workers.
  ///
  /// - Parameter listening: called with the endpoints before the first connection is accepted.
  package init(_ parts: Parts, listening: ([Endpoint]) -> Void = { _ in }) throws(StartError) {
    let via = parts.addsVia ? ViaField(pseudonym: parts.viaPseudonym) : nil
    let shared = WorkerShared(
      snapshots: parts.snapshots, resolver: parts.resolver, requestRewriter: RequestRewriter(via: via),
      responseRewriter: ResponseRewriter(via: via), viaPseudonym: Array(parts.viaPseudonym.utf8),
      workerCount: max(parts.workers, 1), sink: parts.sink, renew: parts.renew, awaited: parts.awaited)
    var workers: [Worker] = []
    var endpoints = parts.listen
    // Workers share their endpoints, and would also share them with another process of the same user.
    for endpoint in endpoints {
      do throws(SystemError) { try Listener.checkFree(endpoint) } catch {
        throw StartError(endpoint: endpoint, cause: error)
      }
    }
    for number in 0..<max(parts.workers, 1) {
      let worker: Worker
      do throws(SystemError) {
        worker = try Worker(shared, number: number, seed: parts.seed &+ UInt64(number) &* 0x9e37_79b9_7f4a_7c15)
      } catch { throw StartError(endpoint: nil, cause: error) }
      for index in endpoints.indices {
        do throws(SystemError) {
          // The first worker learns the port; the others join it.
          endpoints[index] = try worker.listen(on: endpoints[index])
        } catch { throw StartError(endpoint: endpoints[index], cause: error) }
      }
      workers.append(worker)
    }
    listening(endpoints)
    var members: [Member] = []
    for (number, worker) in workers.enumerated() {
      let bound = LoopBound(worker, on: worker.loop)
      do throws(SystemError) {
        let thread = try NativeThread(name: "worker-\(number)") { bound.value.loop.run() }
        members.append(Member(worker: bound, mailbox: worker.loop.mailbox, thread: thread))
      } catch {
        // The threads that run already must not go on without anybody who could stop them.
        ProxyService.end(members)
        throw StartError(endpoint: nil, cause: error)
      }
    }
    self.members = members
    self.endpoints = endpoints
    verifier = shared.verifier
  }

  /// The sum of what the workers have counted, and how many of them answered within the time.
  package func counters(waitMilliseconds: Int) -> (counters: WorkerCounters, answered: Int, workers: Int) {
    let gathered = Gathered()
    for member in members {
      member.mailbox.post { gathered.add(member.worker.value.currentCounters()) }
    }
    gathered.wait(for: members.count, milliseconds: waitMilliseconds)
    let (sum, count) = gathered.result
    return (sum, count, members.count)
  }

  /// Has the workers hand their records over, which they do by themselves a little later; returns when they have, or
  /// after so long.
  package func handOverRecords(waitMilliseconds: Int) {
    let gathered = Gathered()
    for member in members {
      member.mailbox.post {
        member.worker.value.handOver()
        gathered.add(WorkerCounters())
      }
    }
    gathered.wait(for: members.count, milliseconds: waitMilliseconds)
  }

  /// Stops accepting and waits until every exchange is over, but not longer than the time; then cuts what is left and
  /// ends the workers. True when nothing had to be cut.
  @discardableResult
  package func drain(milliseconds: Int) -> Bool {
    let gathered = Gathered()
    for member in members {
      member.mailbox.post { member.worker.value.drain { gathered.add(WorkerCounters()) } }
    }
    gathered.wait(for: members.count, milliseconds: milliseconds)
    let isWhole = gathered.result.1 == members.count
    stop()
    return isWhole
  }

  /// Cuts every connection, so that a drain that waits for them ends.
  package func cutShort() {
    for member in members { member.mailbox.post { member.worker.value.abort() } }
  }

  /// Cuts every connection and ends the workers.
  package func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    verifier.stop()
    ProxyService.end(members)
  }

  private static func end(_ members: [Member]) {
    for member in members {
      member.mailbox.post {
        member.worker.value.abort()
        member.worker.value.loop.stop()
      }
    }
    for member in members { member.thread.join() }
  }
}

/// Answers of several workers.
private final class Gathered: Sendable {
  private let state = Mutex((sum: WorkerCounters(), count: 0))
  private let arrived = Gate()

  func add(_ counters: WorkerCounters) {
    state.withLock {
      $0.sum.add(counters)
      $0.count += 1
    }
    arrived.signal()
  }

  func wait(for count: Int, milliseconds: Int) {
    let deadline = EventLoop.nanoseconds() &+ UInt64(clamping: milliseconds) &* 1_000_000
    for _ in 0..<count {
      let now = EventLoop.nanoseconds()
      guard arrived.wait(nanoseconds: deadline > now ? deadline - now : 0) else { return }
    }
  }

  var result: (WorkerCounters, Int) { state.withLock { ($0.sum, $0.count) } }
}
