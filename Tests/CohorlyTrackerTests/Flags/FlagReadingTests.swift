import Effects
import Testing

@testable import CohorlyTracker

/// Values, fallbacks and details: the contract's section 3.3.
@Suite struct FlagReadingTests {
  @Test(
    arguments: [
      ("control", true), ("", false), ("false", true), ("0", true), (false, false), (true, true), (nil, false),
    ] as [(FlagValue?, Bool)])
  func row92_aFallbackIsEnabledWhenItIsTruthy(_ fallback: FlagValue?, _ isEnabled: Bool) {
    var harness = FlagHarness()
    for key in ["banner", "nope"] {
      let details = harness.details(key, fallback)
      #expect(details.value == fallback)
      #expect(details.isEnabled == isEnabled)
      #expect(details.payload == nil)
      #expect(details.source == .fallback)
      #expect(details.persistedAt == nil)
      #expect(details.ttlMilliseconds == nil)
      #expect(details == FlagReading(fallback: fallback))
      harness.reload(.parse(status: 200, body: FlagVectors.bytes(#"{"flags":{}}"#)))
    }
  }

  @Test(
    arguments: [
      (Flag(isEnabled: true), true), (Flag(isEnabled: false), false), (Flag(isEnabled: true, variant: "a"), "a"),
      (Flag(isEnabled: false, variant: "a"), "a"), (Flag(isEnabled: true, variant: ""), ""),
    ] as [(Flag, FlagValue)])
  func theVariantWinsOverTheTruth(_ flag: Flag, _ value: FlagValue) {
    #expect(flag.value == value)
    let reading = FlagReading(flag, source: .network, persistedAt: nil, ttlMilliseconds: nil)
    #expect(reading.value == value)
    // A flag that is on with an empty variant is on: truthiness is for fallbacks.
    #expect(reading.isEnabled == flag.isEnabled)
  }

  @Test func aPayloadOfNullIsNone() {
    #expect(Flag(isEnabled: true, payload: .null).payload == nil)
    #expect(Flag(isEnabled: true, payload: false).payload == false)
  }

  @Test func aValueIsJSON() {
    #expect(FlagValue.bool(true).json == true)
    #expect(FlagValue.text("true").json == "true")
  }

  @Test(
    arguments: [
      (Flag(isEnabled: true), true, true), (Flag(isEnabled: true), false, false), (Flag(isEnabled: false), false, true),
      (Flag(isEnabled: true), "true", false), (Flag(isEnabled: true, variant: "blue"), true, true),
      (Flag(isEnabled: true, variant: "blue"), "blue", true), (Flag(isEnabled: true, variant: "blue"), "red", false),
      (Flag(isEnabled: true, variant: "blue"), false, false), (Flag(isEnabled: true, variant: ""), "", true),
    ] as [(Flag, FlagValue, Bool)])
  func isHeldAgainstACondition(_ flag: Flag, _ wanted: FlagValue, _ matches: Bool) {
    let reading = FlagReading(flag, source: .network, persistedAt: nil, ttlMilliseconds: nil)
    #expect(reading.matches(wanted) == matches)
  }

  @Test(
    arguments: [
      (nil, true, false), (nil, false, true), (nil, "", false), (true, true, true), ("blue", "blue", true),
      ("blue", true, true), ("", true, false), ("red", "blue", false),
    ] as [(FlagValue?, FlagValue, Bool)])
  func aFallbackIsHeldAgainstACondition(_ fallback: FlagValue?, _ wanted: FlagValue, _ matches: Bool) {
    #expect(FlagReading(fallback: fallback).matches(wanted) == matches)
  }
}
