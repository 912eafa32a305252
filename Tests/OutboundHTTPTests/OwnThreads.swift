import Dispatch
import Testing

/// Runs the tests of a suite on threads of their own: elsewhere hundreds of tests share as many threads as there are
/// cores, and a request that waits for its turn there would meet the end of a time.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(QueueExecutor()) { try await function() }
  }
}

extension Trait where Self == OwnThreads {
  /// The tests run on threads of their own.
  static var ownThreads: Self { OwnThreads() }
}

private final class QueueExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "tests", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
