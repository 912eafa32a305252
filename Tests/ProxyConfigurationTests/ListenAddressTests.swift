import Effects
import ProxyConfiguration
import Testing

@Suite struct ListenAddressTests {
  private func listen(_ text: String) -> Endpoint? {
    let document = JSONWriter.text(["proxy": ["listen": [.string(text)], "profile": "server"], "rules": []])
    return ConfigurationLoader.forTests.load(Array(document.utf8), file: "f").configuration?.proxy.listen.first
  }

  static let good: [(String, String)] = [
    ("127.0.0.1:8080", "127.0.0.1:8080"), ("0.0.0.0:0", "0.0.0.0:0"),
    ("255.255.255.255:65535", "255.255.255.255:65535"),
    ("[::1]:1", "[::1]:1"), ("[::]:00080", "[::]:80"), ("[2001:DB8::a]:1", "[2001:db8::a]:1"),
    ("[1:2:3:4:5:6:7:8]:1", "[1:2:3:4:5:6:7:8]:1"), ("[1::]:1", "[1::]:1"),
    ("[::ffff:127.0.0.1]:1", "[::ffff:7f00:1]:1"),
    ("[1:2:3:4:5:6:1.2.3.4]:1", "[1:2:3:4:5:6:102:304]:1"),
  ]

  @Test(arguments: good)
  func readsAddressesWithPorts(_ text: String, _ expected: String) {
    #expect(listen(text)?.description == expected)
  }

  @Test(arguments: [
    "", ":", ":1", "1", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:1 ",
    "127.0.0.1:000001", "127.0.0:1", "127.0.0.0.1:1", "256.0.0.1:1", "01.0.0.1:1", "0x7f.0.0.1:1", "127.0.0.1.:1",
    "::1:1", "[::1]", "[::1]:", "[]:1", "[:]:1", "[:::]:1", "[1::2::3]:1", "[1:2:3:4:5:6:7]:1", "[1:2:3:4:5:6:7:8:9]:1",
    "[12345::]:1", "[+1::]:1", "[-1::]:1", "[1.2.3.4::]:1", "[::1.2.3]:1", "[127.0.0.1]:1", "[::1%lo]:1", "[::1:1",
    "::1]:1", "localhost:1", "[::1]x:1", "\u{661}.0.0.1:1",
  ])
  func refusesAllElse(_ text: String) {
    #expect(listen(text) == nil)
  }

  @Test func aSocketsPathFitsItsAddress() {
    func admin(_ length: Int) -> AdminAddress? {
      let document = JSONWriter.text([
        "admin": ["listen": .string("unix:/" + String(repeating: "a", count: length - 1))], "rules": [],
      ])
      return ConfigurationLoader.forTests.load(Array(document.utf8), file: "f").configuration?.admin.listen
    }
    #expect(admin(107) != nil)
    #expect(admin(108) == nil)
  }
}
