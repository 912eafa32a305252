import Effects
import Foundation
import LoopRuntime
import OutboundHTTP
import Synchronization
import TestKit
import Testing

/// Connections that are kept: seen from outside, with sockets.
@Suite(.ownThreads) struct OutboundOriginTests {
  private static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"

  @Test(arguments: [
    answer, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    "HTTP/1.1 204 No Content\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n" + answer,
    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n",
  ])
  func keepsTheConnection(_ text: String) async throws {
    let origin = try ScriptedOrigin.answering { _ in text }
    let fixture = try OutboundFixture()
    for _ in 0..<3 { _ = try await fixture.send("http://127.0.0.1:\(origin.port)/", body: "x") }
    #expect(origin.connections == 1)
  }

  @Test func keepsTheConnectionAfterHEAD() async throws {
    let origin = try ScriptedOrigin.answering { _ in "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" }
    let fixture = try OutboundFixture()
    for _ in 0..<3 {
      #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/", method: "HEAD").body.isEmpty)
    }
    #expect(origin.connections == 1)
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
  ])
  func givesUpAConnectionThatMustNotBeKept(_ text: String) async throws {
    let origin = try ScriptedOrigin.answering { _ in text }
    let fixture = try OutboundFixture()
    for _ in 0..<3 {
      #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/", body: "x").text == "x")
    }
    #expect(origin.connections == 3)
  }

  @Test func readsAResponseThatEndsWithItsConnection() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send("HTTP/1.1 200 OK\r\n\r\nall of it")
    }
    let fixture = try OutboundFixture()
    for _ in 0..<2 { #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/").text == "all of it") }
    #expect(origin.connections == 2)
  }

  @Test func aResponseThatNobodyAskedForSpoilsTheConnection() async throws {
    let closed = Gate()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(Self.answer)
      guard turn.number == 0 else { return }
      // The end comes as an error, because the words are not even read.
      defer { closed.signal() }
      usleep(20_000)
      try turn.connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
      _ = try turn.connection.readToEnd()
    }
    let fixture = try OutboundFixture()
    let url = "http://127.0.0.1:\(origin.port)/"
    #expect(try await fixture.send(url, body: "1").text == "x")
    #expect(closed.wait(nanoseconds: 5_000_000_000))
    #expect(try await fixture.send(url, body: "2").text == "x")
    #expect(origin.connections == 2)
  }

  @Test func aKeptConnectionThatItsPeerHasEndedIsReplaced() async throws {
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(Self.answer)
    }
    let fixture = try OutboundFixture()
    // Sometimes the end is there before the next request, and sometimes it comes with it: a request that may have
    // arrived fails, and says so.
    for _ in 0..<50 {
      do throws(TransportError) {
        #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/", body: "x").text == "x")
      } catch {
        #expect(error.code == .interrupted)
        #expect(error.mayHaveArrived)
      }
    }
    try await Task.sleep(for: .milliseconds(50))
    #expect(try await fixture.send("http://127.0.0.1:\(origin.port)/", body: "x").text == "x")
  }

  @Test func aConnectionWithoutRequestsIsGivenUp() async throws {
    let closed = Gate()
    let origin = try ScriptedOrigin { turn in
      _ = try turn.readRequest()
      try turn.connection.send(Self.answer)
      #expect(try turn.connection.readToEnd() == [])
      closed.signal()
    }
    let fixture = try OutboundFixture { $0.idleMilliseconds = 30 }
    _ = try await fixture.send("http://127.0.0.1:\(origin.port)/")
    #expect(closed.wait(nanoseconds: 5_000_000_000))
  }

  @Test func hasSoManyConnectionsAndNoMore() async throws {
    let state = Mutex((now: 0, most: 0))
    let origin = try ScriptedOrigin.answering { _ in
      state.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      usleep(2000)
      state.withLock { $0.now -= 1 }
      return Self.answer
    }
    let fixture = try OutboundFixture {
      $0.connectionsPerOrigin = 3
      $0.idlePerOrigin = 3
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<60 {
        group.addTask { _ = try await fixture.send("http://127.0.0.1:\(origin.port)/", body: "x") }
      }
      try await group.waitForAll()
    }
    #expect(state.withLock { $0.most } <= 3)
    #expect(origin.connections == 3)
    #expect(origin.requests.count == 60)
  }

  @Test func aLongLineOfFailuresComesToItsEnd() async throws {
    // The second look-up of the name fails at once, and so do all who wait.
    let fixture = try OutboundFixture(names: { _ in .notFound }, options: { $0.connectionsPerOrigin = 1 })
    let failures = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<20_000 {
        group.addTask {
          do throws(TransportError) {
            _ = try await fixture.send("http://backend.test/", body: "x")
            return false
          } catch {
            return error.code == .unresolved
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(failures == 20_000)
  }

  @Test func aThousandRequestsLeaveNothingBehind() async throws {
    let origin = try ScriptedOrigin.answering { _ in Self.answer }
    let refusing = try ScriptedOrigin { _ in }.port
    let fixture = try OutboundFixture { $0.idlePerOrigin = 2 }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1000 {
        group.addTask {
          // Of all ends that a request can have: answered, given up, too late, refused.
          let task = Task {
            switch number % 10 {
            case 7: _ = try await fixture.send("http://127.0.0.1:\(refusing)/", body: "x")
            case 8: _ = try await fixture.send("http://127.0.0.1:\(origin.port)/", body: "x", timeout: 1)
            default: _ = try await fixture.send("http://127.0.0.1:\(origin.port)/", body: "x")
            }
          }
          if number % 10 == 9 { task.cancel() }
          _ = await task.result
        }
      }
    }
    #expect(try OpenConnections.count(to: origin.port) <= 2)
    fixture.transport.stop()
    #expect(try OpenConnections.count(to: origin.port) == 0)
  }
}
