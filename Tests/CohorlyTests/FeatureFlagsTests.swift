import CohorlyTracker
import Effects
import Testing

@testable import Cohorly

@Suite struct FeatureFlagsTests {
  @Test(arguments: [("control", true), ("", false), (false, false), (true, true)] as [(FeatureFlagValue, Bool)])
  func row92_takesAFallbackForWhatItIs(fallback: FeatureFlagValue, isEnabled: Bool) throws {
    let details = try CohorlyHarness().cohorly.getFeatureFlagDetails("unknown", fallback: fallback)
    #expect(details.value == fallback && details.enabled == isEnabled)
    #expect(details.source == .fallback && details.payload == nil && details.ttlMs == nil && details.persistedAt == nil)
  }

  @Test func row92_takesNoFallbackForFalse() throws {
    let details = try CohorlyHarness().cohorly.getFeatureFlagDetails("unknown")
    #expect(details.value == nil && !details.enabled)
  }

  @Test func isItsVariantOrWhetherItIsEnabled() {
    #expect(FeatureFlag(Flag(isEnabled: true, variant: "blue")).value == "blue")
    #expect(FeatureFlag(Flag(isEnabled: false)).value == false)
    #expect(FeatureFlagValue("blue").description == "blue")
    #expect(FeatureFlagValue(booleanLiteral: true).description == "true")
    // The text of a truth is none.
    #expect(FeatureFlagValue.string("true") != FeatureFlagValue.bool(true))
  }
}
