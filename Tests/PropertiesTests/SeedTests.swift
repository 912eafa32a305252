import Foundation
import Properties
import TestKit
import Testing

/// The seeds of the fuzzer, replayed without it, and damaged a little from fixed seeds of chance.
@Suite struct SeedTests {
  struct Seed: Sendable, CustomTestStringConvertible {
    var property: Property
    var file: URL
    var testDescription: String { "\(property.name)/\(file.lastPathComponent)" }
  }

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fuzz/Seeds")

  static let seeds: [Seed] = Property.all.flatMap { property in
    let folder = folder.appendingPathComponent(property.name)
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).sorted { $0.path < $1.path }.map { Seed(property: property, file: $0) }
  }

  @Test(arguments: Property.all.map(\.name)) func everyPropertyHasSeeds(name: String) {
    #expect(Self.seeds.count { $0.property.name == name } >= 3)
  }

  @Test(arguments: seeds) func holdsFor(seed: Seed) throws {
    let bytes = [UInt8](try Data(contentsOf: seed.file))
    try seed.property.check(bytes)
    let isSlow = seed.property.name.hasSuffix("database") || seed.property.name == "admin-request"
    var random = SeededGenerator(seed: UInt64(bytes.count))
    for _ in 0..<(isSlow ? 2 : 12) {
      let damaged = Self.damaged(bytes, &random)
      do { try seed.property.check(damaged) } catch { Issue.record("\(error)\n\(Data(damaged).base64EncodedString())") }
    }
  }

  private static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert("\r\n :;,0\0/%".utf8.randomElement(using: &random) ?? 0, at: place)
      default: bytes.insert(contentsOf: bytes[place...].prefix(12), at: place)
      }
    }
    return bytes
  }
}
