import CohorlyTracker
import Effects
import Testing

@Suite struct CohorlyIdentityTests {
  static let anonymous = CohorlyIdentity(anonymous: "7b0c9d7e-0000-4000-8000-000000000001")

  @Test func isOneIdWhileNobodyIsKnown() {
    #expect(Self.anonymous.distinctID == Self.anonymous.deviceID)
    #expect(Self.anonymous.isAnonymous)
    #expect(Self.anonymous.userID == nil)
  }

  @Test func row5_tellsOfTheStepFromUnknownToKnown() throws {
    let step = try #require(Self.anonymous.identified(as: "user-42"))
    #expect(step.identity.distinctID == "user-42")
    #expect(step.identity.userID == "user-42")
    #expect(!step.identity.isAnonymous)
    #expect(step.alias == CohorlyAlias(alias: Self.anonymous.distinctID, distinctID: "user-42"))
  }

  @Test func row6_tellsNothingOfAStepFromUserToUser() throws {
    let first = try #require(Self.anonymous.identified(as: "user-42")).identity
    let second = try #require(first.identified(as: "user-99"))
    #expect(second.alias == nil)
    #expect(second.identity.distinctID == "user-99")
    #expect(second.identity.deviceID == Self.anonymous.deviceID)
  }

  @Test func row9_isNoStepToTheSameId() {
    #expect(Self.anonymous.identified(as: Self.anonymous.distinctID) == nil)
  }

  @Test func ignoresAnEmptyId() { #expect(Self.anonymous.identified(as: "") == nil) }

  @Test func comparesIdsByTheirBytes() {
    let first = Self.anonymous.identified(as: "caf\u{e9}")?.identity
    #expect(first?.identified(as: "cafe\u{301}")?.identity.distinctID.utf8.count == 6)
  }

  @Test func row10_row17_isNewAfterAReset() {
    let next = CohorlyIdentity(anonymous: "7b0c9d7e-0000-4000-8000-000000000002")
    #expect(next.deviceID == next.distinctID)
    #expect(next.identified(as: "u2")?.alias?.alias == next.distinctID)
  }

  @Test func row14_survivesARestart() throws {
    for identity in [Self.anonymous, try #require(Self.anonymous.identified(as: "ü \"1\"")?.identity)] {
      #expect(CohorlyIdentity(stored: identity.bytes, mint: { "minted" }) == identity)
    }
  }

  @Test(
    arguments: [
      "", "{", "[]", "7", #"{"distinct":""}"#, #"{"distinct":7}"#, #"{"distinct":"a","device":7}"#,
      #"{"distinct":"a","device":""}"#, #"{"distinct":"a","anonymous":"0"}"#,
    ])
  func beginsAnewFromADamagedRecord(text: String) {
    #expect(CohorlyIdentity(stored: Array(text.utf8), mint: { "minted" }) == nil)
  }

  @Test func row19_takesALoneIdForThatOfSomebodyUnknown() {
    let identity = CohorlyIdentity(stored: Array(#"{"distinct":"old-id"}"#.utf8), mint: { "minted" })
    #expect(identity == CohorlyIdentity(anonymous: "old-id"))
  }

  @Test func givesAKnownUserWithoutADeviceOne() {
    let stored = Array(#"{"distinct":"user-1","anonymous":false}"#.utf8)
    let identity = CohorlyIdentity(stored: stored, mint: { "minted" })
    #expect(identity?.deviceID == "minted")
    #expect(identity?.userID == "user-1")
  }
}
