import HTTPWire
import Testing

@testable import ProxyServer

@Suite struct OriginTests {
  private func origin(_ key: String, in table: OriginTable) throws -> Origin {
    let bytes = Array(key.utf8)
    var url = CanonicalURL()
    url.hostStart = 7
    url.hostLength = bytes.count - 12
    url.originLength = bytes.count
    url.port = 8080
    return try bytes.withUnsafeBufferPointer { table.origin(try #require($0.baseAddress), url) }
  }

  private func key(_ number: Int) -> String { "http://h\(number).example:8080" }

  @Test func findsEachOriginAgain() throws {
    let table = OriginTable(seed: 42)
    let first = try (0..<1000).map { try origin(key($0), in: table) }
    #expect(table.count == 1000)
    for (number, known) in first.enumerated() {
      #expect(try origin(key(number), in: table) === known)
      #expect(String(decoding: known.key, as: UTF8.self) == key(number))
      #expect(known.host == "h\(number).example")
      #expect(known.port == 8080)
      #expect(known.literal == nil)
    }
    #expect(table.count == 1000)
    var seen = 0
    table.forEach { _ in seen += 1 }
    #expect(seen == 1000)
  }

  @Test(arguments: [("http://127.0.0.1:8080", "127.0.0.1"), ("http://[::1]:8080", "::1")])
  func takesALiteralForTheAddressThatItIs(key: String, host: String) throws {
    let table = OriginTable(seed: 1)
    let origin = try origin(key, in: table)
    #expect(origin.host == host)
    #expect(origin.literal.map { "\($0)" } == host)
  }

  @Test func forgetsTheLongestUnusedWhenFull() throws {
    let table = OriginTable(seed: 42, capacity: 10)
    let busy = try (0..<5).map { try origin(key($0), in: table) }
    for origin in busy { origin.take() }
    for number in 100..<200 { _ = try origin(key(number), in: table) }
    #expect(table.count == 10)
    for number in 0..<5 { #expect(try origin(key(number), in: table) === busy[number]) }
    // The last of the unused are still known, and one that becomes unused is the youngest of them.
    let kept = try origin(key(199), in: table)
    busy[0].release()
    for number in 200..<205 { _ = try origin(key(number), in: table) }
    #expect(try origin(key(0), in: table) === busy[0])
    #expect(try origin(key(199), in: table) !== kept)
  }

  @Test func doesNotListAgainWhatItHasForgotten() throws {
    let table = OriginTable(seed: 42, capacity: 1)
    let held = try origin(key(0), in: table)
    _ = try origin(key(1), in: table)
    // As somebody does who had a word to say about the origin and comes too late.
    held.settle()
    for number in 2..<5 {
      _ = try origin(key(number), in: table)
      var present = 0
      table.forEach { _ in present += 1 }
      #expect(present == 1)
      #expect(table.count == present)
    }
  }

  @Test func growsWithOriginsInUse() throws {
    let table = OriginTable(seed: 42, capacity: 10)
    let busy = try (0..<100).map { number in
      let origin = try origin(key(number), in: table)
      origin.take()
      return origin
    }
    #expect(table.count == 100)
    for (number, origin) in busy.enumerated() { #expect(try self.origin(key(number), in: table) === origin) }
    for origin in busy { origin.release() }
    // Each newcomer now takes the place of one.
    for number in 100..<300 { _ = try origin(key(number), in: table) }
    #expect(table.count == 100)
  }
}
