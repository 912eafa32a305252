import Testing

@testable import Cohorly

@Suite struct LibraryNameTests {
  @Test func isOurOwn() { #expect(LibraryName.lib != "ios") }
}
