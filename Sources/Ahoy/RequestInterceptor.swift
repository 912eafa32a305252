#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

/// Changes the requests that go to the server before they are sent, for instance to add `Authorization`.
///
/// ```swift
/// await ahoy.setRequestInterceptors([
///   RequestInterceptor { request in request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
/// ])
/// ```
///
/// Interceptors run in order. `Content-Type`, `Ahoy-Visitor` and `Ahoy-Visit` are set afterwards.
public struct RequestInterceptor: Sendable {
  let interceptRequest: @Sendable (inout URLRequest) -> Void

  /// An interceptor that does to each request what the closure does.
  public init(interceptRequest: @escaping @Sendable (inout URLRequest) -> Void) {
    self.interceptRequest = interceptRequest
  }
}
