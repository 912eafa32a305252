import ClientFoundation
import Foundation
import TestKit
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct DefaultSessionTests {
  static func request(_ port: UInt16) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/")))
    request.httpMethod = "POST"
    request.httpBody = Data("{}".utf8)
    return request
  }

  @Test func bringsABodyThatComesInPieces() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send("HTTP/1.1 201 Made\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
      try turn.connection.send("3\r\ndef\r\n0\r\n\r\n")
    }
    let (data, response) = try await DefaultSession.data(for: Self.request(origin.port))
    #expect(String(decoding: data, as: UTF8.self) == "abcdef")
    #expect((response as? HTTPURLResponse)?.statusCode == 201)
  }

  @Test func bringsARedirectAsItIs() async throws {
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 307 Elsewhere\r\nLocation: /elsewhere\r\nContent-Length: 2\r\n\r\nno"
    }
    let (data, response) = try await DefaultSession.data(for: Self.request(origin.port))
    #expect(String(decoding: data, as: UTF8.self) == "no")
    #expect((response as? HTTPURLResponse)?.statusCode == 307)
    #expect(origin.requests.count == 1)
  }

  @Test func keepsNoCookies() async throws {
    let origin = try ScriptedOrigin.answering { _ in
      "HTTP/1.1 200 OK\r\nSet-Cookie: a=b; path=/\r\nContent-Length: 0\r\n\r\n"
    }
    for _ in 0..<2 { _ = try await DefaultSession.data(for: Self.request(origin.port)) }
    #expect(origin.requests.count == 2)
    #expect(origin.requests.allSatisfy { !$0.lowercased().contains("cookie") })
  }

  @Test func throwsWhenTheServerEndsTheConnection() async throws {
    let origin = try ScriptedOrigin { turn in _ = try turn.readRequest() }
    await #expect(throws: URLError.self) { try await DefaultSession.data(for: Self.request(origin.port)) }
  }

  @Test func endsARequestWhoseCallerGivesUp() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      // Nothing is answered; the connection ends when the client closes it.
      _ = try turn.connection.readTextToEnd()
    }
    let request = try Self.request(origin.port)
    let task = Task { try await DefaultSession.data(for: request) }
    while origin.requests.isEmpty { await Task.yield() }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
  }

  @Test func sendsNothingForACallerWhoHasGivenUp() async throws {
    let origin = try ScriptedOrigin.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }
    let request = try Self.request(origin.port)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await DefaultSession.data(for: request)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(origin.requests.isEmpty)
  }
}
