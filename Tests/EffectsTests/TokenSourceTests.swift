import Testing

@testable import Effects

@Suite struct TokenSourceTests {
  private struct Fixed: TokenSource {
    let high: UInt64
    let low: UInt64
    func sixteenBytes() -> (UInt64, UInt64) { (high, low) }
  }

  @Test(
    arguments: [
      (0, 0, "00000000-0000-0000-0000-000000000000"), (.max, .max, "ffffffff-ffff-ffff-ffff-ffffffffffff"),
      (0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, "01234567-89ab-cdef-fedc-ba9876543210"),
    ] as [(UInt64, UInt64, String)])
  func writesUUIDsInLowerCase(high: UInt64, low: UInt64, expected: String) {
    #expect(UUIDText.string(high: high, low: low) == expected)
    #expect(UUIDText.isLowercaseUUID(expected))
  }

  @Test func setsVersionAndVariant() {
    #expect(Fixed(high: .max, low: .max).uuidVersion4() == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    #expect(Fixed(high: 0, low: 0).uuidVersion4() == "00000000-0000-4000-8000-000000000000")
    #expect(
      Fixed(high: .max, low: .max).uuidVersion7(millisecondsSinceEpoch: 0x0123_4567_89ab)
        == "01234567-89ab-7fff-bfff-ffffffffffff")
  }

  @Test(
    arguments: [
      (-1, "00000000-0000-7000-8000-000000000000"), (.max, "ffffffff-ffff-7000-8000-000000000000"),
      (1 << 48, "00000000-0000-7000-8000-000000000000"),
    ] as [(Int64, String)])
  func survivesAnyTime(milliseconds: Int64, expected: String) {
    #expect(Fixed(high: 0, low: 0).uuidVersion7(millisecondsSinceEpoch: milliseconds) == expected)
  }

  @Test(arguments: [
    "", "0", "0123456789ab-cdef-fedc-ba98-76543210", "01234567-89AB-cdef-fedc-ba9876543210",
    "01234567-89ab-cdef-fedc-ba987654321g", "01234567-89ab-cdef-fedc-ba98765432100",
  ])
  func knowsWhatIsNone(text: String) {
    #expect(!UUIDText.isLowercaseUUID(text))
  }
}
