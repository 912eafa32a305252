import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The requests of who brings no handler: a session without cookies and cache, so that one request never depends on
/// another, and without redirects, which would turn a POST into a GET.
enum DefaultSession {
  private static let session: URLSession = {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    return URLSession(configuration: configuration)
  }()

  static func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    try await session.data(for: request, delegate: NoRedirects.delegate)
  }
}

private final class NoRedirects: NSObject, URLSessionTaskDelegate {
  static let delegate = NoRedirects()

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
