import Effects
import LoopRuntime
import ProxyCore
import Synchronization

/// Holds passwords against their hashes on a thread of its own, because that is meant to take long.
///
/// The same credentials that come several times at once are looked at once. One client can make only so many wait, and
/// all together only so many, so that nobody who guesses passwords keeps the others out for long.
final class CredentialVerifier: Sendable {
  /// What is to be found out.
  struct Question: Sendable, Hashable {
    /// The value of the field as it was received.
    let credentials: [UInt8]
    /// What the password is held against.
    let hash: String
  }

  private struct Job {
    let question: Question
    let password: [UInt8]
    let client: IPAddress?
    var waiting: [@Sendable (Bool) -> Void]
  }

  private struct State {
    var jobs: [Question: Job] = [:]
    var order: [Question] = []
    var perClient: [IPAddress: Int] = [:]
    var thread: NativeThread?
    var isStopped = false

    mutating func leave(_ client: IPAddress) {
      let left = perClient[client, default: 1] - 1
      perClient[client] = left > 0 ? left : nil
    }
  }

  private let state = Mutex(State())
  private let arrived = Gate()
  private let queueLimit: Int
  private let clientLimit: Int
  private let matches: @Sendable (_ password: [UInt8], _ hash: String) -> Bool

  /// A verifier that starts its thread when it is first needed.
  ///
  /// - Parameters:
  ///   - queueLimit: the most questions that wait.
  ///   - clientLimit: the most that wait for one client address.
  init(
    queueLimit: Int = 256, clientLimit: Int = 8,
    matches: @escaping @Sendable (_ password: [UInt8], _ hash: String) -> Bool = { PasswordHash.matches($0, $1) }
  ) {
    self.queueLimit = queueLimit
    self.clientLimit = clientLimit
    self.matches = matches
  }

  /// Calls back on the verifier's thread with whether the password is right. False when too many are waiting: nothing is
  /// called back then.
  func verify(
    _ question: Question, password: [UInt8], for client: IPAddress?, _ done: @escaping @Sendable (Bool) -> Void
  ) -> Bool {
    let client = client?.subscriber
    let isQueued = state.withLock { state -> Bool in
      if state.jobs[question] != nil {
        state.jobs[question]?.waiting.append(done)
        return true
      }
      guard !state.isStopped, state.order.count < queueLimit else { return false }
      if let client {
        guard state.perClient[client, default: 0] < clientLimit else { return false }
        state.perClient[client, default: 0] += 1
      }
      if state.thread == nil {
        do throws(SystemError) {
          state.thread = try NativeThread(name: "passwords") { [self] in run() }
        } catch {
          if let client { state.leave(client) }
          return false
        }
      }
      state.jobs[question] = Job(question: question, password: password, client: client, waiting: [done])
      state.order.append(question)
      return true
    }
    if isQueued { arrived.signal() }
    return isQueued
  }

  /// Ends the thread after the password at hand; those that wait hear nothing any more.
  func stop() {
    let thread = state.withLock { state in
      state.isStopped = true
      defer { state.thread = nil }
      return state.thread
    }
    arrived.signal()
    thread?.join()
  }

  private func run() {
    while true {
      arrived.wait()
      let (job, isStopped) = state.withLock { state in
        (state.order.first.flatMap { state.jobs[$0] }, state.isStopped)
      }
      if isStopped { return }
      // Several that asked the same have one job.
      guard let job else { continue }
      let isRight = matches(job.password, job.question.hash)
      // Those that asked the same meanwhile are answered too.
      let waiting = state.withLock { state in
        state.order.removeFirst()
        if let client = job.client { state.leave(client) }
        return state.jobs.removeValue(forKey: job.question)?.waiting ?? []
      }
      for done in waiting { done(isRight) }
    }
  }
}
