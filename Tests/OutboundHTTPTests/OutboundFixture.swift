import Effects
import Foundation
import LoopRuntime
import OutboundHTTP
import TestKit
import Testing

/// A transport of one test.
final class OutboundFixture: Sendable {
  let transport: OutboundHTTP
  private let resolver: Resolver

  convenience init(_ change: (inout OutboundOptions) -> Void = { _ in }) throws {
    try self.init(names: Resolver.systemLookUp, options: change)
  }

  /// - Parameter names: answers look-ups instead of the system's resolver.
  init(names: @escaping Resolver.LookUp, options change: (inout OutboundOptions) -> Void = { _ in }) throws {
    var options = OutboundOptions()
    // No test is to fail because the machine was busy for a while.
    options.idleMilliseconds = 600_000
    change(&options)
    resolver = Resolver(threads: 1, lookUp: names)
    transport = try OutboundHTTP(options, resolver: resolver)
  }

  deinit {
    transport.stop()
    resolver.stop()
  }

  /// Sends a request; the body makes it a POST.
  func send(
    _ url: String, method: String? = nil, body: String? = nil, timeout: Int = 10_000
  ) async throws(TransportError) -> OutboundResponse {
    try await transport.send(
      OutboundRequest(
        method: method ?? (body == nil ? "GET" : "POST"), url: url, body: Array((body ?? "").utf8),
        timeoutMilliseconds: timeout))
  }

  /// Sends a request that has to fail.
  func failure(
    _ url: String, method: String? = nil, body: String? = nil, timeout: Int = 10_000,
    _ place: SourceLocation = #_sourceLocation
  ) async throws -> TransportError {
    do throws(TransportError) {
      let response = try await send(url, method: method, body: body, timeout: timeout)
      Issue.record("a response came: \(response.status)", sourceLocation: place)
    } catch {
      return error
    }
    throw RawSocketError(words: "no failure")
  }
}

extension OutboundResponse {
  /// The content as text.
  var text: String { String(decoding: body, as: UTF8.self) }
}
