/// What becomes of a request.
package enum AdminAnswer: Sendable {
  /// The answer is there.
  case ready(AdminResponse)
  /// The answer comes later: the closure starts the work, and the one handed to it takes the answer, once, on any
  /// thread.
  case later(@Sendable (@escaping @Sendable (AdminResponse) -> Void) -> Void)
}
