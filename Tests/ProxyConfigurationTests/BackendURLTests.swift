import Effects
import ProxyConfiguration
import Testing

@Suite struct BackendURLTests {
  private func load(_ url: String) -> LoadedConfiguration {
    ConfigurationLoader.forTests.load(Array(#"{"rules": [], "ahoy": {"baseURL": "\#(url)"}}"#.utf8), file: "f")
  }

  @Test(arguments: [
    ("https://app.example.com", "https://app.example.com"), ("http://127.0.0.1:3900", "http://127.0.0.1:3900"),
    ("https://APP.example.com./", "https://app.example.com"), ("http://[::1]:80/a/b//", "http://[::1]:80/a/b"),
    ("https://[2001:DB8::1]", "https://[2001:db8::1]"), ("https://a.example/%41~b;c", "https://a.example/%41~b;c"),
    ("http://localhost:65535/", "http://localhost:65535"),
  ])
  func isReadInItsUsualForm(text: String, form: String) throws {
    let loaded = load(text)
    #expect(!loaded.hasErrors)
    let ahoy = try #require(loaded.configuration?.ahoy)
    #expect(ahoy.baseURL?.description == form)
    #expect(ahoy.visitsURL == form + "/ahoy/visits")
    #expect(ahoy.eventsURL == form + "/ahoy/events")
  }

  @Test(arguments: [
    ("", "is not a URL", "invalid-url"), ("app.example.com", "is not a URL", "invalid-url"),
    ("//app.example.com", "is not a URL", "invalid-url"),
    ("ftp://a.example", "is not spoken to a backend", "invalid-url"),
    ("HTTPS://a.example", "write it in lower case", "invalid-url"),
    ("unix:/run/x", "is not a URL", "invalid-url"), ("https://", "no host", "invalid-url"),
    ("https://:443", "no host", "invalid-url"), ("https:///path", "no host", "invalid-url"),
    ("https://me:secret@a.example", "has credentials", "invalid-url"),
    ("https://me@a.example/x", "authorizationFile", "invalid-url"),
    ("https://a.example?x=1", "has a query", "invalid-url"), ("https://a.example/x#y", "has a fragment", "invalid-url"),
    ("https://a.example:0", "'0' is not a port", "invalid-port"),
    ("https://a.example:", "is not a port", "invalid-port"),
    ("https://a.example:65536", "is not a port", "invalid-port"),
    ("https://a.example:8o", "is not a port", "invalid-port"),
    ("https://127.1", "is not a host", "invalid-url"), ("https://0x7f000001", "is not a host", "invalid-url"),
    ("https://a b", "is not a host", "invalid-url"), ("https://bücher.example", "xn--", "invalid-url"),
    ("https://[::1", "is not a host", "invalid-url"), ("https://[127.0.0.1]", "is not a host", "invalid-url"),
    ("https://a.example/a b", "is not a path", "invalid-url"),
    ("https://a.example/../b", "is not a path", "invalid-url"),
    ("https://a.example/a//b", "is not a path", "invalid-url"),
    ("https://a.example/%4", "is not a path", "invalid-url"),
  ])
  func othersAreRefusedInWords(text: String, words: String, code: String) {
    let loaded = load(text)
    let errors = loaded.issues.filter { $0.severity == .error }
    #expect(errors.map(\.code.rawValue) == [code])
    #expect(errors.first?.description.contains(words) == true, "\(errors)")
    #expect(errors.first?.pointer.description == "/ahoy/baseURL")
    #expect(errors.first?.position.column == 35)
    #expect(loaded.configuration == nil)
  }

  @Test func aPasswordInTheURLIsNotRepeated() {
    #expect(!load("https://me:hunter2@a.example").issues.map(\.description).joined().contains("hunter2"))
  }

  @Test(arguments: [
    ("http://app.example.com", true), ("http://10.0.0.1:3000", true), ("http://127.0.0.2:3000", false),
    ("http://[::1]", false), ("http://localhost:3000", false), ("http://app.localhost", false),
    ("https://app.example.com", false), ("http://localhost.example.com", true),
  ])
  func httpToOtherMachinesIsDoubted(text: String, isDoubted: Bool) {
    let loaded = load(text)
    #expect(loaded.issues.map(\.code.rawValue) == (isDoubted ? ["unencrypted-backend"] : []))
    #expect(loaded.configuration != nil)
  }
}
