import Effects
import ProxyConfiguration
import Testing

@Suite struct CohorlyChecksTests {
  private func load(_ section: String, _ reading: NamedFileReading? = nil) -> LoadedConfiguration {
    var read: (@Sendable (String) -> NamedFileReading)?
    if let reading { read = { $0 == "/conf/file" ? reading : .unreadable(reason: "wrong path") } }
    let loader = ConfigurationLoader(
      patterns: ConfigurationLoader.testPatterns, hostNames: ConfigurationLoader.testHostNames, readSecret: read,
      readCertificates: read)
    return loader.load(Array(#"{"cohorly": \#(section), "rules": []}"#.utf8), file: "/conf/f.json")
  }

  @Test(arguments: ["0b9d3a52-6c1e", "0b9d3a52-6c1e\n", "0b9d3a52-6c1e\r\n"])
  func readsTheToken(content: String) throws {
    let loaded = load(#"{"tokenFile": "file"}"#, .content(Array(content.utf8)))
    #expect(loaded.issues.isEmpty)
    let cohorly = try #require(loaded.configuration?.cohorly)
    #expect(cohorly.token?.field == "0b9d3a52-6c1e")
    #expect(!"\(cohorly)".contains("0b9d"))
  }

  @Test(arguments: [
    (NamedFileReading.exposed(mode: 0o640), "exposed-secret", "has mode 0640"),
    (.unreadable(reason: "it does not exist"), "unreadable-file", "or set tokenFile to null"),
    (.content(Array("two\nlines\n".utf8)), "invalid-secret", "one line"), (.content([]), "invalid-secret", "one line"),
    (.content(Array("Bearer abc".utf8)), "invalid-secret", "without blanks"),
    (.content(Array("caf\u{e9}".utf8)), "invalid-secret", "one line"), (.content([0xff]), "invalid-secret", "one line"),
    (.content([UInt8](repeating: 0x61, count: 256)), "invalid-secret", "255"),
  ])
  func refusesToRunWithoutTheToken(reading: NamedFileReading, code: String, words: String) {
    let loaded = load(#"{"tokenFile": "file"}"#, reading)
    #expect(loaded.issues.map(\.code.rawValue) == [code])
    #expect(loaded.issues.first?.description.contains(words) == true)
    #expect(loaded.issues.first?.pointer.description == "/cohorly/tokenFile")
    #expect(loaded.configuration == nil)
  }

  @Test(arguments: [
    (NamedFileReading.content(Array("x\n-----BEGIN CERTIFICATE-----\nMII".utf8)), String?.none, ""),
    (.content(Array("-----BEGIN PRIVATE KEY-----\n".utf8)), "invalid-certificate", "no certificate in /conf/file"),
    (.unreadable(reason: "it does not exist"), "unreadable-file", "cannot read /conf/file: it does not exist"),
  ])
  func refusesCertificatesThatAreNone(reading: NamedFileReading, code: String?, words: String) {
    let loaded = load(#"{"apiHost": "https://a.example", "certificateFiles": ["file"]}"#, reading)
    #expect(loaded.issues.map(\.code.rawValue) == [code].compactMap { $0 })
    #expect(loaded.issues.allSatisfy { $0.description.contains(words) })
    #expect(loaded.issues.allSatisfy { $0.pointer.description == "/cohorly/certificateFiles/0" })
    #expect((loaded.configuration == nil) == (code != nil))
  }

  @Test(arguments: [
    (#"{}"#, ["backend-without-token"]), (#"{"apiHost": "https://a.example"}"#, []),
    (#"{"apiHost": "http://a.example"}"#, ["unencrypted-backend"]), (#"{"apiHost": "http://localhost:1"}"#, []),
    (#"{"tokenFile": "t", "flagCacheTTLHours": 0}"#, ["doubtful-validity"]),
    (#"{"tokenFile": "t", "flagPersistence": "networkOnly", "flagCacheTTLHours": 0}"#, ["unused-key"]),
    (#"{"tokenFile": "t", "flagPersistence": "networkOnly"}"#, []),
    (#"{"tokenFile": "t", "flagCacheTTLHours": 8760}"#, []),
  ])
  func doubtsAreWarnings(section: String, codes: [String]) {
    let loaded = load(section)
    #expect(loaded.issues.map(\.code.rawValue) == codes)
    #expect(loaded.issues.allSatisfy { $0.severity == .warning && !$0.hint.isEmpty })
    #expect(loaded.configuration?.cohorly != nil)
  }

  @Test func superPropertiesLeaveRoomForEvents() {
    func load(_ count: Int) -> [String] {
      let members = (0..<count).map { #""p\#($0)": "\#(String(repeating: "x", count: 1000))""# }.joined(separator: ",")
      return self.load(#"{"tokenFile": "t", "superProperties": {\#(members)}}"#).issues.map(\.code.rawValue)
    }
    #expect(load(8).isEmpty)
    #expect(load(9) == ["contradicting-limits"])
    #expect(load(33) == ["list-length"])
  }
}
