import ProxyCore
import Testing
import URLRules

@Suite struct InjectionSnapshotTests {
  @Test(arguments: (0...255).map { UInt8($0) })
  func takesVisibleASCIIAsAValueAndNothingElse(byte: UInt8) {
    let value = String(Unicode.Scalar(byte))
    let injection = InjectionSnapshot.Injection(effect: .visitorID, name: "x-id", value: "a\(value)b")
    #expect((injection != nil) == (byte > 0x20 && byte < 0x7f))
    if let injection { #expect(injection.line == Array("x-id: a\(value)b\r\n".utf8)) }
  }

  @Test(arguments: (0...255).map { UInt8($0) })
  func takesALowerCaseTokenAsANameAndNothingElse(byte: UInt8) {
    let name = "x\(String(Unicode.Scalar(byte)))"
    let isToken = "abcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~".utf8.contains(byte)
    #expect((InjectionSnapshot.Injection(effect: .ahoy, name: name, value: "v") != nil) == isToken)
  }

  @Test func refusesNothingAsNameOrValue() {
    #expect(InjectionSnapshot.Injection(effect: .visitorID, name: "", value: "v") == nil)
    #expect(InjectionSnapshot.Injection(effect: .visitorID, name: "x", value: "") == nil)
  }
}
