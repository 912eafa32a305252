import Effects
import ProxyCore
import Testing

@testable import ProxyConfiguration

@Suite struct ParentAddressTests {
  @Test(arguments: [
    ("http://proxy.example.com:3128", "proxy.example.com", 3128), ("http://Proxy.Example.:1", "proxy.example", 1),
    ("http://10.0.0.1:65535", "10.0.0.1", 65535), ("http://[::1]:80", "::1", 80), ("http://a_b-c:3128", "a_b-c", 3128),
    ("http://[0:0::1]:80", "::1", 80),
  ])
  func readsAHostAndAPort(text: String, host: String, port: UInt16) throws {
    let address = try ParentAddressText.parse(text).get()
    #expect(address.host == host)
    #expect(address.port == port)
    // What is written is read as the same.
    #expect(try ParentAddressText.parse(address.description).get() == address)
  }

  @Test(arguments: [
    ("", "is not the URL"), ("proxy:3128", "is not the URL"), ("https://proxy:3128", "is not spoken"),
    ("socks5://proxy:1080", "is not spoken"), ("http://proxy", "no port"), ("http://[::1]", "no port"),
    ("http://proxy:3128/", "goes on behind"), ("http://u:p@proxy:3128", "has credentials"),
    ("http://proxy:0", "is not a port"), ("http://proxy:65536", "is not a port"), ("http://proxy:+1", "is not a port"),
    ("http://proxy:", "is not a port"), ("http://:3128", "is not a host"), ("http://::1:3128", "is not a host"),
    ("http://[10.0.0.1]:1", "is not a host"), ("http://127.1:3128", "is not a host"),
    ("http://a..b:1", "is not a host"),
    ("http://a b:1", "is not a host"), ("http://ex\u{e4}mple:1", "is not a host"), ("http://[x]:1", "is not a host"),
  ])
  func saysWhatIsWrong(text: String, words: String) {
    guard case .failure(let refusal) = ParentAddressText.parse(text) else {
      Issue.record("\(text) is taken")
      return
    }
    #expect(refusal.message.contains(words))
    #expect(!refusal.hint.isEmpty)
  }
}
