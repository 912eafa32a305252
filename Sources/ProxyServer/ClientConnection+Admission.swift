import HTTPWire
import ProxyCore

// Whether a client may have its request.
extension ClientConnection {
  /// Whether the request may go on; when not, it has been answered. Asked before anything of the request is used but
  /// its framing.
  func admits(
    _ head: RequestHead, _ bytes: MutableBytes, _ count: Int, _ snapshot: InjectionSnapshot, _ now: Int64
  ) -> Bool {
    // Asked again for each request, because a reload may have changed the answer.
    guard snapshot.settings.admits(address) else {
      refuse(head, count, snapshot, now, .clientProhibited)
      return false
    }
    return true
  }

  private func refuse(
    _ head: RequestHead, _ count: Int, _ snapshot: InjectionSnapshot, _ now: Int64, _ error: ProxyError
  ) {
    beginUnread(count, snapshot, now)
    fail(error)
  }
}
