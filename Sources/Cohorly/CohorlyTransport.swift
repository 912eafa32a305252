import ClientFoundation
import Effects
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Carries a request to the server and brings its answer.
public protocol CohorlyTransport: Sendable {
  /// Sends the request once, follows no redirect, and returns the answer whatever its status.
  ///
  /// - Throws: When no answer came.
  func send(_ request: URLRequest) async throws -> (Data, URLResponse)
}

/// A session of Foundation that keeps no cookies, caches nothing and follows no redirects.
public struct CohorlyURLSession: CohorlyTransport {
  /// The session; every instance is the same one.
  public init() {}

  /// Sends the request.
  public func send(_ request: URLRequest) async throws -> (Data, URLResponse) {
    try await DefaultSession.data(for: request)
  }
}

/// The transport of a program as the delivery knows it.
struct TransportAdapter: Transport {
  let transport: any CohorlyTransport

  func send(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
    guard let url = URL(string: request.url) else {
      throw TransportError(.invalidRequest, "\(request.url) is no URL")
    }
    var sent = URLRequest(url: url, timeoutInterval: Double(request.timeoutMilliseconds) / 1000)
    sent.httpMethod = request.method
    sent.httpBody = Data(request.body)
    for field in request.fields { sent.setValue(field.value, forHTTPHeaderField: field.name) }
    let answer: (Data, URLResponse)
    do { answer = try await transport.send(sent) } catch { throw Self.translate(error) }
    guard let response = answer.1 as? HTTPURLResponse else {
      throw TransportError(.malformedResponse, "what came is no answer of HTTP", mayHaveArrived: true)
    }
    let fields = ["Retry-After", "Date"].compactMap { name in
      response.value(forHTTPHeaderField: name).map { OutboundField(name, $0) }
    }
    return OutboundResponse(status: response.statusCode, fields: fields, body: Array(answer.0))
  }

  static func translate(_ error: any Error) -> TransportError {
    guard let failure = error as? URLError else {
      let isCancelled = error is CancellationError
      return TransportError(isCancelled ? .cancelled : .interrupted, "\(error)", mayHaveArrived: true)
    }
    let code: TransportError.Code =
      switch failure.code {
      case .badURL, .unsupportedURL: .invalidRequest
      case .cannotFindHost, .dnsLookupFailed: .unresolved
      case .cannotConnectToHost, .notConnectedToInternet: .unreachable
      case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
        .untrusted
      case .timedOut: .timedOut
      case .badServerResponse, .cannotParseResponse: .malformedResponse
      case .cancelled: .cancelled
      default: .interrupted
      }
    return TransportError(code, failure.localizedDescription, mayHaveArrived: true)
  }
}
