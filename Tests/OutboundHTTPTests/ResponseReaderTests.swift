import Effects
import HTTPWire
import TestKit
import Testing

@testable import OutboundHTTP

@Suite struct ResponseReaderTests {
  /// What the reader makes of the text that comes in pieces of that size; with `ends` the stream ends behind it.
  private func read(
    _ text: String, pieces size: Int = Int.max, method: Method = .other, limit: Int = 1000, ends: Bool = false
  ) -> ResponseReader.Progress {
    let parser = HeadParser()
    var reader = ResponseReader(method: method, bodyLimit: limit)
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      var piece = Array(bytes.prefix(size))
      bytes = bytes.dropFirst(piece.count)
      let progress = piece.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.map { reader.take($0, buffer.count, parser) } ?? .more
      }
      if progress != .more { return progress }
    }
    return ends ? reader.end() : .more
  }

  private func response(_ status: Int, _ fields: [(String, String)], _ body: String) -> OutboundResponse {
    OutboundResponse(status: status, fields: fields.map { OutboundField($0.0, $0.1) }, body: Array(body.utf8))
  }

  @Test(arguments: [1, 2, 3, 7, Int.max])
  func readsAnyFramingInAnyPieces(_ size: Int) {
    #expect(
      read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nhello", pieces: size)
        == .complete(response(200, [("Content-Length", "5"), ("X", "y")], "hello"), isClean: true))
    #expect(
      read(
        "HTTP/1.1 201 \r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nT: u\r\n\r\n", pieces: size)
        == .complete(response(201, [("Transfer-Encoding", "chunked")], "hello"), isClean: true))
    #expect(
      read("HTTP/1.1 500 No\r\n\r\nhello", pieces: size, ends: true)
        == .complete(response(500, [], "hello"), isClean: false))
    #expect(
      read("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", pieces: size)
        == .complete(response(200, [("Content-Length", "0")], ""), isClean: true))
  }

  @Test(arguments: [1, Int.max])
  func passesInterimResponsesOver(_ size: Int) {
    let text =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"
    #expect(
      read(text, pieces: size) == .complete(response(200, [("Content-Length", "1")], "x"), isClean: true))
  }

  @Test func refusesInterimResponsesWithoutEnd() {
    let text = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: ResponseReader.interimLimit + 1)
    #expect(read(text) == .malformed("too many interim responses"))
  }

  @Test(arguments: [("HEAD", 200), ("POST", 204), ("POST", 304)])
  func readsNoContentWhereThereIsNone(_ method: String, _ status: Int) {
    let progress = read(
      "HTTP/1.1 \(status) X\r\nContent-Length: 10\r\n\r\n", method: method == "HEAD" ? .head : .other)
    #expect(progress == .complete(response(status, [("Content-Length", "10")], ""), isClean: true))
  }

  @Test(arguments: [
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy",
    "HTTP/1.1 204 OK\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx",
  ])
  func aConnectionWithMoreOnItIsNotClean(_ text: String) {
    guard case .complete(_, let isClean) = read(text) else {
      Issue.record("\(read(text))")
      return
    }
    #expect(!isClean)
  }

  @Test func cutsTheContentAtTheLimit() {
    #expect(
      read("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789", limit: 4)
        == .complete(response(200, [("Content-Length", "9")], "1234"), isClean: false))
    #expect(
      read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345", limit: 4)
        == .complete(response(200, [("Transfer-Encoding", "chunked")], "1234"), isClean: false))
    #expect(
      read("HTTP/1.1 200 OK\r\n\r\n12345", limit: 4) == .complete(response(200, [], "1234"), isClean: false))
    #expect(
      read("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n1234", limit: 4)
        == .complete(response(200, [("Content-Length", "4")], "1234"), isClean: true))
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxx\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
  ])
  func anEarlyEndIsNoResponse(_ text: String) {
    guard case .truncated = read(text, ends: true) else {
      Issue.record("\(read(text, ends: true))")
      return
    }
  }

  @Test(arguments: [
    "SSH-2.0-x\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", "HTTP/1.1 200 OK\r\nX\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", "HTTP/1.1 200 OK\n\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 70_000),
  ])
  func refusesWhatIsNoHTTP(_ text: String) {
    guard case .malformed = read(text) else {
      Issue.record("\(read(text))")
      return
    }
  }
}
