import Testing

@testable import ProxyServer

@Suite struct OriginTests {
  private func origin(_ key: String, in table: inout OriginTable) throws -> Origin {
    let bytes = Array(key.utf8)
    return try bytes.withUnsafeBufferPointer { try table.origin(#require($0.baseAddress), $0.count) }
  }

  @Test func findsEachOriginAgain() throws {
    var table = OriginTable(seed: 42)
    let keys = (0..<1000).map { "http://h\($0).example:8080" }
    let first = try keys.map { try origin($0, in: &table) }
    #expect(table.count == 1000)
    for (key, known) in zip(keys, first) {
      #expect(try origin(key, in: &table) === known)
      #expect(String(decoding: known.key, as: UTF8.self) == key)
    }
    #expect(table.count == 1000)
    var seen = 0
    table.forEach { _ in seen += 1 }
    #expect(seen == 1000)
  }

  @Test func forgetsOnlyUnusedOriginsWhenFull() throws {
    var table = OriginTable(seed: 42, capacity: 10)
    let busy = try (0..<5).map { try origin("busy\($0)", in: &table) }
    for origin in busy { origin.busy = 1 }
    for number in 0..<100 { _ = try origin("unused\(number)", in: &table) }
    #expect(table.count <= 10)
    for number in 0..<5 { #expect(try origin("busy\(number)", in: &table) === busy[number]) }
  }
}
