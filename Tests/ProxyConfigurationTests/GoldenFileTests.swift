import Effects
import Foundation
import ProxyConfiguration
import RuleEngines
import Testing

/// Each `Fixtures/*.conftest` says what it promises.
@Suite struct GoldenFileTests {
  private static let separator = "\n----------\n"

  static let files: [URL] = {
    let folder = Bundle.module.resourceURL?.appendingPathComponent("Fixtures") ?? URL(fileURLWithPath: "/")
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "conftest" }.sorted { $0.path < $1.path }
  }()

  @Test func fixturesAreThere() { #expect(Self.files.count >= 20) }

  @Test(arguments: files.map(\.lastPathComponent))
  func reportsTheIssuesOf(_ name: String) throws {
    let file = try #require(Self.files.first { $0.lastPathComponent == name })
    let text = try String(contentsOf: file, encoding: .utf8)
    let parts = text.components(separatedBy: Self.separator)
    try #require(parts.count == 2, "one line of ten dashes")
    let loaded = ConfigurationLoader.forTests.load(Array(parts[0].utf8), file: "f")
    let found = loaded.issues.map { String($0.description.dropFirst(2)) }.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["FOOTFALL_UPDATE_FIXTURES"] == "1" {
      let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Fixtures/\(name)")
      try (parts[0] + Self.separator + found + (found.isEmpty ? "" : "\n")).write(
        to: source, atomically: true, encoding: .utf8)
      return
    }
    let expected = parts[1].hasSuffix("\n") ? String(parts[1].dropLast()) : parts[1]
    #expect(found == expected)
  }

  @Test func twentyMistakesAreReportedOnTheirLines() throws {
    let file = try #require(Self.files.first { $0.lastPathComponent == "twenty-mistakes.conftest" })
    let text = try String(contentsOf: file, encoding: .utf8).components(separatedBy: Self.separator)[0]
    let loaded = ConfigurationLoader.forTests.load(Array(text.utf8), file: "f")
    let errors = loaded.issues.filter { $0.severity == .error }
    // The fixture is laid out so that each of these lines holds one mistake.
    #expect(errors.map(\.position.line) == [3, 4, 5, 6, 7, 10, 11, 12, 15, 16, 17, 20, 21, 22, 23, 24, 25, 28, 29, 31])
    #expect(Set(errors.map(\.code)).count >= 15)
    #expect(loaded.hasErrors)
  }
}

extension ConfigurationLoader {
  /// With the product's engines.
  static let testPatterns = PCRE2PatternEngine()
  static let testHostNames = IDNA2008HostNameEncoder()
  static let forTests = ConfigurationLoader(patterns: testPatterns, hostNames: testHostNames)
}
