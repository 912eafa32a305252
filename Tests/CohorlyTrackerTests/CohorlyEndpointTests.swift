import CohorlyTracker
import Effects
import Testing

@Suite struct CohorlyEndpointTests {
  @Test(
    arguments: [
      ("https://a.test", "https://a.test/track"), ("https://a.test/", "https://a.test/track"),
      ("https://a.test///", "https://a.test/track"), ("http://a.test:8080/below", "http://a.test:8080/below/track"),
    ])
  func addsThePath(host: String, url: String) {
    #expect(CohorlyEndpoint(apiHost: host).request(.track, records: []).url == url)
  }

  @Test func sendsTheTokenInAFieldOrNotAtAll() {
    let fields = CohorlyEndpoint(apiHost: "https://a.test", token: "tok-1").evaluation([]).fields
    #expect(
      fields == [
        OutboundField("Content-Type", "application/json"), OutboundField("Accept", "application/json"),
        OutboundField("X-Cohorly-Token", "tok-1"),
      ])
    let bare = CohorlyEndpoint(apiHost: "https://a.test").evaluation([]).fields
    #expect(!bare.contains { $0.name.lowercased().contains("token") })
  }

  @Test func keepsItsOwnFields() {
    let endpoint = CohorlyEndpoint(
      apiHost: "https://a.test",
      fields: [
        OutboundField("x-cohorly-token", "other"), OutboundField("CONTENT-TYPE", "text/plain"),
        OutboundField("Content-Encoding", "gzip"), OutboundField("X-Trace", "1"),
      ])
    #expect(
      endpoint.evaluation([]).fields.map(\.name) == ["Content-Type", "Accept", "X-Trace"])
  }

  @Test func sendsArraysAndAnAliasAlone() {
    let endpoint = CohorlyEndpoint(apiHost: "https://a.test")
    let records = [Array(#"{"a":1}"#.utf8), Array(#"{"b":2}"#.utf8)]
    #expect(String(decoding: endpoint.request(.engage, records: records).body, as: UTF8.self) == #"[{"a":1},{"b":2}]"#)
    #expect(
      String(decoding: endpoint.request(.track, records: [records[0]]).body, as: UTF8.self) == #"[{"a":1}]"#)
    #expect(endpoint.request(.alias, records: [records[0]]).body == records[0])
    #expect(endpoint.request(.alias, records: [records[0]]).url == "https://a.test/alias")
  }

  @Test func asksForFlags() {
    let request = CohorlyEndpoint(apiHost: "https://a.test/", timeoutMilliseconds: 7).evaluation([0x7b, 0x7d])
    #expect(request.url == "https://a.test/flags/evaluate")
    #expect(request.method == "POST")
    #expect(request.body == [0x7b, 0x7d])
    #expect(request.timeoutMilliseconds == 7)
  }
}
