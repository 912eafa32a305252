package import Foundation
import Synchronization

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

/// The requests of who brings no handler: a session without cookies and cache, so that one request never depends on
/// another, and without redirects, which would turn a POST into a GET.
///
/// It works through its delegate, because the convenience methods of Foundation on Linux follow redirects without asking.
package enum DefaultSession {
  private static let exchanges = Exchanges()

  private static let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    return URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
  }()

  /// Sends a request and returns what comes, whatever its status.
  package static func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    let task = session.dataTask(with: request)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if exchanges.begin(task, continuation) { task.resume() }
      }
    } onCancel: {
      exchanges.cancel(task)
    }
  }
}

/// The requests on their way, by the number of their task.
private final class Exchanges: NSObject, URLSessionDataDelegate {
  private struct Exchange {
    let continuation: CheckedContinuation<(Data, URLResponse), any Error>
    var body = Data()
  }

  private struct State {
    var open: [Int: Exchange] = [:]
    /// Cancelled before they began.
    var cancelled: Set<Int> = []
  }

  private let state = Mutex(State())

  /// - Returns: Whether the task is to run; when it was cancelled already, its caller knows by now.
  func begin(_ task: URLSessionTask, _ continuation: CheckedContinuation<(Data, URLResponse), any Error>) -> Bool {
    let runs = state.withLock { state in
      guard state.cancelled.remove(task.taskIdentifier) == nil else { return false }
      state.open[task.taskIdentifier] = Exchange(continuation: continuation)
      return true
    }
    if !runs {
      task.cancel()
      continuation.resume(throwing: CancellationError())
    }
    return runs
  }

  func cancel(_ task: URLSessionTask) {
    let isOpen = state.withLock { state in
      if state.open[task.taskIdentifier] != nil { return true }
      state.cancelled.insert(task.taskIdentifier)
      return false
    }
    if isOpen { task.cancel() }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { $0.open[dataTask.taskIdentifier]?.body.append(data) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let exchange = state.withLock({ $0.open.removeValue(forKey: task.taskIdentifier) }) else { return }
    if let error {
      exchange.continuation.resume(throwing: error)
    } else if let response = task.response {
      exchange.continuation.resume(returning: (exchange.body, response))
    } else {
      exchange.continuation.resume(throwing: URLError(.badServerResponse))
    }
  }
}
