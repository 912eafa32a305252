/// Lets time pass without holding a thread.
package protocol Sleeper: Sendable {
  /// Returns at a moment of the monotonic clock (in its nanoseconds), or when the task is cancelled.
  func sleep(untilNanoseconds moment: UInt64) async
}
