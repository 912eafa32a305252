import HTTPWire
import LoopRuntime
import ProxyCore
import URLRules

// Whether a client may have its request.
extension ClientConnection {
  /// Whether the request may go on; when not, it has been answered, or waits until its password has been looked at and
  /// is read again then. Asked before anything of the request is used but its framing.
  func admits(
    _ head: RequestHead, _ bytes: MutableBytes, _ count: Int, _ snapshot: InjectionSnapshot, _ now: Int64
  ) -> Bool {
    let settings = snapshot.settings
    let refusal: ProxyError?
    // Nobody is known until this request says who it is.
    if !user.isEmpty { user = [] }
    if !settings.admits(address) {
      // Asked again for each request, because a reload may have changed the answer.
      refusal = .clientProhibited
    } else if worker.isShortOfMemory() {
      refusal = .memoryLimitReached
    } else if let rate = settings.limits.requestsPerSecondPerClient, !wasDeferred,
      !worker.shared.ledger.admitsRequest(address, perSecond: rate)
    {
      refusal = .tooManyRequests
    } else if let users = settings.users {
      switch authenticate(head, bytes, users) {
      case .accepted(let name):
        user = name
        refusal = nil
      case .refused: refusal = .authenticationRequired
      case .tooMany: refusal = .tooManyRequests
      case .deferred:
        input.keep(bytes, count)
        return false
      }
    } else {
      refusal = nil
    }
    wasDeferred = false
    guard let refusal else { return true }
    refuse(head, bytes, count, snapshot, now, refusal)
    return false
  }

  /// Answers the request; the connection goes on where the whole request is at hand.
  private func refuse(
    _ head: RequestHead, _ bytes: MutableBytes, _ count: Int, _ snapshot: InjectionSnapshot, _ now: Int64,
    _ error: ProxyError
  ) {
    startExchange(Exchange(head, keepsAlive: !worker.isDraining), snapshot, now, received: head.length)
    requestMethodLength = head.methodLength
    noteRequest(bytes + head.start, head.methodLength, url: nil, 0)
    var used = head.length
    if case .length(let length) = head.body, length <= Int64(count - used) {
      used += Int(length)
      exchange.requestEnded()
    }
    // What follows a CONNECT may have been meant for the tunnel.
    if head.method == .connect, used < count { exchange.endsConnection() }
    input.keep(bytes + used, count - used)
    fail(error)
  }

  // MARK: Passwords

  private enum Authentication {
    case accepted([UInt8]), refused, deferred, tooMany
  }

  private func authenticate(_ head: RequestHead, _ bytes: Bytes, _ users: UserTable) -> Authentication {
    guard let value = credentials(head, bytes) else { return .refused }
    switch worker.credentials.verdict(for: value, at: EventLoop.nanoseconds()) {
    case .accepted(let name): return .accepted(name)
    case .refused: return .refused
    case nil: break
    }
    guard let credentials = BasicAuthorization(value), let hash = users.hash(of: credentials.user) ?? users.decoy else {
      return .refused
    }
    return askVerifier(
      .init(credentials: Array(value), hash: hash), credentials, isKnown: users.hash(of: credentials.user) != nil)
  }

  /// The value of the one field that carries credentials; nil when there is none, or several.
  private func credentials(_ head: RequestHead, _ bytes: Bytes) -> UnsafeBufferPointer<UInt8>? {
    let lines = worker.requestParser.lines
    var found: UnsafeBufferPointer<UInt8>?
    for index in 0..<head.fields.count where lines[index].id == .proxyAuthorization {
      guard found == nil else { return nil }
      found = UnsafeBufferPointer(start: bytes + Int(lines[index].valueStart), count: Int(lines[index].valueLength))
    }
    return found
  }

  private func askVerifier(
    _ question: CredentialVerifier.Question, _ credentials: BasicAuthorization, isKnown: Bool
  ) -> Authentication {
    let client = LoopParcel(self, on: loop)
    let mailbox = loop.mailbox
    let user = credentials.user
    let isQueued = worker.shared.verifier.verify(question, password: credentials.password, for: address) { isRight in
      mailbox.post { client.take()?.verified(question, user, isRight && isKnown) }
    }
    guard isQueued else { return .tooMany }
    phase = .authenticating
    setReading(false)
    loop.setDeadline(self, at: EventLoop.nanoseconds() &+ settings.timeouts.connect)
    return .deferred
  }

  /// The password has been looked at: the request that waits is read again, and finds the verdict in the cache.
  private func verified(_ question: CredentialVerifier.Question, _ user: [UInt8], _ isRight: Bool) {
    // A reload may have changed the password while this one was looked at.
    if let users = worker.snapshot.settings.users, users.hash(of: user) ?? users.decoy == question.hash {
      worker.credentials.store(
        isRight ? .accepted(user) : .refused, for: question.credentials, at: EventLoop.nanoseconds())
    }
    guard !isClosed, phase == .authenticating else { return }
    phase = .head
    wasDeferred = true
    serveInput()
  }
}
