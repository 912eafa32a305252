import Testing

@testable import FootfallApp

@Suite struct NearestNameTests {
  private let names = ["run", "check", "status", "reset", "reload", "events", "version"]

  @Test(
    arguments: [
      ("statsu", "status"), ("stat", "status"), ("chekc", "check"), ("verison", "version"), ("rest", "reset"),
      ("event", "events"), ("rn", "run"), ("STATUS", nil), ("x", nil), ("", nil), ("configure", nil),
    ] as [(String, String?)])
  func findsWhatWasMeant(name: String, expected: String?) {
    #expect(NearestName.of(name, among: names) == expected)
  }

  @Test(arguments: [("", "", 0), ("abc", "", 3), ("abc", "acb", 1), ("kitten", "sitting", 3), ("ab", "ba", 1)])
  func countsChanges(one: String, other: String, distance: Int) {
    #expect(NearestName.distance(Array(one), Array(other)) == distance)
    #expect(NearestName.distance(Array(other), Array(one)) == distance)
  }
}
