import HTTPWire
import ProxyCore
import Testing

/// What an error page says about a target that is none.
@Suite struct TargetExplanationTests {
  private func explanation(_ text: String, ofAuthority: Bool = false) throws -> String? {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { buffer in
      let start = try #require(buffer.baseAddress)
      var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(bytes.count))
      defer { subject.deallocate() }
      var url = CanonicalURL()
      var authority = Authority()
      let fault =
        ofAuthority
        ? TargetParser.parseAuthority(start, bytes.count, subject: &subject, into: &authority)
        : TargetParser.parseAbsolute(start, bytes.count, fragment: .refuse, subject: &subject, into: &url)
      return fault?.explanation(of: start, bytes.count)
    }
  }

  @Test(arguments: [
    ("http://", "the host is empty"), ("http:///x", "the host is empty"), ("http://:80/", "the host is empty"),
    ("http://?q", "the host is empty"), ("http://u:p@h/", "the authority has a user name"),
    ("http://@h/", "the authority has a user name"),
    ("http://h:0/", "the port is not a number from 1 to 65535"),
    ("http://h:65536/", "the port is not a number from 1 to 65535"),
    ("http://h:8o/", "the port is not a number from 1 to 65535"),
    ("http://[fe80::1%25eth0]/", "the IPv6 address has a zone, which means nothing elsewhere"),
    ("http://[fe80::1%eth0]:80/", "the IPv6 address has a zone, which means nothing elsewhere"),
    ("http://[1::2::3]/", "what stands in brackets is not an IPv6 address"),
    ("http://[v1.x]/", "what stands in brackets is not an IPv6 address"),
    ("http://[::1/", "the bracket before the host is not closed"),
    ("http://[::1]x/", "something other than a port stands behind the brackets"),
    ("http://::1/", "an IPv6 address stands without brackets"),
    ("http://ex%61mple.com/", "the host has percent-escapes"),
    ("http://b\u{fc}cher.example/", "the host has characters outside ASCII: write its xn-- form"),
    ("http://a..b/", "a label of the host is empty"), ("http://.h/", "a label of the host is empty"),
    ("http://" + String(repeating: "a", count: 64) + "/", "the host or one of its labels is too long"),
    ("http://" + String(repeating: "a.", count: 128) + "a/", "the host or one of its labels is too long"),
    ("http://h,i/", "the host is not a name or an address"), ("http://a\\b/", "the host is not a name or an address"),
    ("http:foo", "there is no // behind the scheme"), ("http:/h/", "there is no // behind the scheme"),
    ("HTTPS:", "there is no // behind the scheme"), ("h/x", "the target is not a URL"),
    ("h:80", "the target is not a URL"), ("ftp://h/", "the scheme is not http or https"),
    ("http://h/#f", "the target has a fragment"), ("http://h/a b", "the target has a space or a control character"),
  ])
  func namesWhatIsWrong(target: String, words: String) throws { #expect(try explanation(target) == words) }

  @Test(arguments: [
    ("h", "there is no port"), ("[::1]", "there is no port"), ("h:", "the port is not a number from 1 to 65535"),
    ("h:0", "the port is not a number from 1 to 65535"), (":443", "the host is empty"),
    ("u@h:443", "the authority has a user name"), ("::1:443", "an IPv6 address stands without brackets"),
  ])
  func namesWhatIsWrongWithAnAuthority(target: String, words: String) throws {
    #expect(try explanation(target, ofAuthority: true) == words)
  }
}
