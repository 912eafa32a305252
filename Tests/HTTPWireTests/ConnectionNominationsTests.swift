import HTTPWire
import Testing

@Suite struct ConnectionNominationsTests {
  private let head = message(
    "GET / HTTP/1.1¶Host: h¶Connection: X-One, close¶Other: X-Three¶connection: ,x-two,, Keep-Alive,upgrade¶¶")

  @Test func listsNominatedNamesWithoutOptions() {
    let parser = HeadParser()
    let names = head.withUnsafeBufferPointer { buffer -> [String] in
      var request = RequestHead()
      guard let start = buffer.baseAddress, parser.parseRequest(start, buffer.count, into: &request) == .complete
      else { return [] }
      return request.fields.nominatedNames(in: start, parser.lines).map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(names == ["x-one", "x-two"])
  }
}
