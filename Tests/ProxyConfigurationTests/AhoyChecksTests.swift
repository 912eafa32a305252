import Effects
import ProxyConfiguration
import Testing
import URLRules

@Suite struct AhoyChecksTests {
  private func load(_ text: String, _ reading: NamedFileReading? = nil) -> LoadedConfiguration {
    var readSecret: (@Sendable (String) -> NamedFileReading)?
    if let reading { readSecret = { $0 == "/conf/secret" ? reading : .unreadable(reason: "wrong path") } }
    let loader = ConfigurationLoader(
      patterns: ConfigurationLoader.testPatterns, hostNames: ConfigurationLoader.testHostNames, readSecret: readSecret)
    return loader.load(Array(text.utf8), file: "/conf/f.json")
  }

  private func withFile(_ reading: NamedFileReading) -> LoadedConfiguration {
    load(
      #"{"ahoy": {"baseURL": "https://a.example", "authorizationFile": "secret"}, "rules": []}"#, reading)
  }

  @Test(arguments: ["Bearer abc", "Bearer abc\n", "Bearer abc\r\n"])
  func readsTheAuthorization(content: String) throws {
    let loaded = withFile(.content(Array(content.utf8)))
    #expect(loaded.issues.isEmpty)
    let ahoy = try #require(loaded.configuration?.ahoy)
    #expect(ahoy.authorization?.field == "Bearer abc")
    #expect(!"\(ahoy)".contains("abc"))
  }

  @Test(arguments: [
    (NamedFileReading.exposed(mode: 0o640), "exposed-secret", "has mode 0640"),
    (.unreadable(reason: "it does not exist"), "unreadable-file", "it does not exist"),
    (.content(Array("two\nlines\n".utf8)), "invalid-secret", "one line"), (.content([]), "invalid-secret", "one line"),
    (.content(Array("caf\u{e9}".utf8)), "invalid-secret", "one line"),
    (.content([UInt8](repeating: 0x61, count: 5000)), "invalid-secret", "at most 4096"),
  ])
  func refusesToRunWithoutTheAuthorization(reading: NamedFileReading, code: String, words: String) {
    let loaded = withFile(reading)
    #expect(loaded.issues.map(\.code.rawValue) == [code])
    #expect(loaded.issues.first?.description.contains(words) == true)
    #expect(loaded.issues.first?.pointer.description == "/ahoy/authorizationFile")
    #expect(loaded.issues.first?.description.contains("lines\n") == false)
    #expect(loaded.configuration == nil)
  }

  @Test(arguments: [
    (NamedFileReading.content(Array("junk\r\n-----BEGIN CERTIFICATE-----\nMII".utf8)), String?.none, ""),
    (.content(Array("-----BEGIN PRIVATE KEY-----\n".utf8)), "invalid-certificate", "no certificate in /conf/ca.pem"),
    (.content([]), "invalid-certificate", "no certificate"),
    (.unreadable(reason: "it does not exist"), "unreadable-file", "cannot read /conf/ca.pem: it does not exist"),
  ])
  func refusesCertificatesThatAreNone(reading: NamedFileReading, code: String?, words: String) {
    let loader = ConfigurationLoader(
      patterns: ConfigurationLoader.testPatterns, hostNames: ConfigurationLoader.testHostNames,
      readCertificates: { $0 == "/conf/ca.pem" ? reading : .content(Array("-----BEGIN CERTIFICATE-----".utf8)) })
    let text = #"{"ahoy": {"baseURL": "https://a.example", "certificateFiles": ["/other.pem", "ca.pem"]}, "rules": []}"#
    let loaded = loader.load(Array(text.utf8), file: "/conf/f.json")
    #expect(loaded.issues.map(\.code.rawValue) == [code].compactMap { $0 })
    #expect(loaded.issues.allSatisfy { $0.description.contains(words) })
    #expect(loaded.issues.allSatisfy { $0.pointer.description == "/ahoy/certificateFiles/1" })
    #expect((loaded.configuration == nil) == (code != nil))
  }

  @Test func rulesInjectAllThatIsConfiguredUnlessTheySay() throws {
    let loaded = load(
      #"""
      {"ahoy": {"baseURL": "https://a.example"}, "visitorID": {"header": "x-v"}, "rules": [
        {"name": "all", "match": {"prefix": "http://a.example/"}},
        {"name": "visit", "match": {"prefix": "http://b.example/"}, "inject": ["ahoy"]},
        {"name": "id", "match": {"prefix": "http://c.example/"}, "inject": ["visitorID"], "record": false},
        {"name": "none", "match": {"prefix": "http://d.example/"}, "inject": []}]}
      """#)
    #expect(loaded.issues.isEmpty)
    let configuration = try #require(loaded.configuration)
    #expect(configuration.rules.map(\.inject) == [[.visitorID, .ahoy], [.ahoy], [.visitorID], []])
    let effects = ["a", "b", "c", "d"].map { loaded.ruleSet.explain("http://\($0).example/").effects }
    #expect(effects == [[.visitorID, .ahoy, .record], [.ahoy, .record], [.visitorID], [.record]])
  }

  @Test func aRuleForAMissingSectionIsDropped() throws {
    for section in ["", #""ahoy": null, "#] {
      let loaded = load(
        #"{\#(section)"rules": [{"match": {"prefix": "http://a.example/"}, "inject": ["ahoy"]}]}"#)
      #expect(loaded.issues.map(\.code.rawValue) == ["feature-not-configured"])
      #expect(loaded.issues.map(\.pointer.description) == ["/rules/0/inject/0"])
      #expect(loaded.hasErrors)
      #expect(try #require(loaded.configuration).rules.isEmpty)
    }
  }

  @Test func parametersLeaveRoomForEvents() {
    func load(_ count: Int) -> [String] {
      let params = (0..<count).map { #""p\#($0)": "\#(String(repeating: "x", count: 1000))""# }.joined(separator: ",")
      return self.load(#"{"ahoy": {"baseURL": "https://a.example", "visitParams": {\#(params)}}, "rules": []}"#)
        .issues.map(\.code.rawValue)
    }
    #expect(load(2).isEmpty)
    #expect(load(3) == ["contradicting-limits"])
  }
}
