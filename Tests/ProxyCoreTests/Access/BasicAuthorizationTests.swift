import Foundation
import ProxyCore
import Testing

@Suite struct BasicAuthorizationTests {
  private func read(_ value: String) -> BasicAuthorization? { BasicAuthorization(Array(value.utf8)) }

  private func text(_ credentials: BasicAuthorization?) -> String? {
    credentials.map {
      "\(String(decoding: $0.user, as: UTF8.self))|\(String(decoding: $0.password, as: UTF8.self))"
    }
  }

  @Test(arguments: [
    ("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "Aladdin|open sesame"), ("basic dGVzdDoxMjPCow==", "test|123\u{a3}"),
    ("BASIC   YTpi", "a|b"), ("Basic YTo=", "a|"), ("Basic Og==", "|"), ("Basic YTpiOmM=", "a|b:c"),
    ("Basic YTo/Pz4+", "a|??>>"),
  ])
  func readsNameAndPassword(value: String, expected: String) {
    #expect(text(read(value)) == expected)
  }

  @Test(arguments: [
    "", "Basic", "Basic ", "Basic\tYTpi", "BasicYTpi", "Bearer YTpi", "Basic YWI=", "Basic YTpi=", "Basic YTo",
    "Basic YTp", "Basic Y", "Basic YT==pi", "Basic YTpi YTpi", "Basic YTpi,", "Basic YTpi\u{e9}", "Basic YQA6Yg==",
    "Basic YTp/Ag==", "Basic YTp=", "Basic YTpiYx==", "Digest YTpi", "Basic -_-_",
  ])
  func refusesAllElse(value: String) {
    #expect(read(value) == nil)
  }

  @Test func refusesWhatIsLongerThanAnyPassword() {
    let long = Data(("user:" + String(repeating: "x", count: 1500)).utf8).base64EncodedString()
    #expect(read("Basic \(long)") != nil)
    #expect(read("Basic \(long + long)") == nil)
    #expect(read("Basic \(Data(("u:" + String(repeating: "x", count: 1600)).utf8).base64EncodedString())") == nil)
  }

  @Test func takesWhatAnyEncoderMakes() {
    for length in 0..<64 {
      let secret = String((0..<length).map { Character(UnicodeScalar(UInt8(0x21 + ($0 * 7 + length) % 0x5e))) })
      let encoded = Data("user:\(secret)".utf8).base64EncodedString()
      #expect(text(read("Basic \(encoded)")) == "user|\(secret)")
    }
  }
}
