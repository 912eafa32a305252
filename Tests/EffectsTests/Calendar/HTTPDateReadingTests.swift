import Effects
import Testing

@Suite struct HTTPDateReadingTests {
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ]) func readsAllThreeForms(text: String) {
    #expect(HTTPDate.milliseconds(of: text) == 784_111_777_000)
  }

  @Test func readsWhatItWrites() {
    for day in stride(from: Int64(-200_000), to: 1_000_000, by: 997) {
      let moment = day * 86_400_000 + 45_296_000
      #expect(HTTPDate.milliseconds(of: HTTPDate.text(millisecondsSinceEpoch: moment)) == moment)
    }
  }

  @Test func readsAnObsoleteYearAsOneNearby() {
    #expect(HTTPDate.milliseconds(of: "Monday, 30-Nov-26 00:00:00 GMT") == 1_795_996_800_000)
    #expect(HTTPDate.milliseconds(of: "Thursday, 01-Jan-70 00:00:00 GMT") == 0)
  }

  @Test(arguments: [
    "", "soon", "120", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov 6 08:49:37 99999",
  ]) func refusesOtherTexts(text: String) {
    #expect(HTTPDate.milliseconds(of: text) == nil)
  }
}
