import AhoyTracker
import Effects
import Testing

@Suite struct TokenSyntaxTests {
  @Test(arguments: [
    "a", "EB4DCB73-2B32-52CD-A2CF-AD7948674B22", "cwindowswinini", "-", String(repeating: "x", count: 64),
  ])
  func keepsWhatTheServerKeeps(_ text: String) {
    #expect(TokenSyntax.isToken(text))
    #expect(TokenSyntax.sanitized(text) == text)
  }

  @Test(arguments: [
    ("", ""), ("null", "null"), ("a b", "ab"), ("a_b", "ab"), ("é", ""), ("aaa, 1111", "aaa1111"), ("a\r\nb", "ab"),
    (String(repeating: "x", count: 65), String(repeating: "x", count: 64)), ("a\u{0}", "a"), ("ａ", ""),
  ])
  func refusesWhatTheServerChangesOrShouldNeverSee(_ text: String, _ kept: String) {
    #expect(!TokenSyntax.isToken(text))
    #expect(TokenSyntax.sanitized(text) == kept)
  }

  @Test func asksBothTokens() {
    #expect(VisitTokens(visit: "a", visitor: "b").areValid)
    #expect(!VisitTokens(visit: "", visitor: "b").areValid)
    #expect(!VisitTokens(visit: "a", visitor: "null").areValid)
    #expect(
      VisitTokens(visit: "a", visitor: "b").fields.map { "\($0.name): \($0.value)" } == [
        "Ahoy-Visit: a", "Ahoy-Visitor: b",
      ])
  }
}
