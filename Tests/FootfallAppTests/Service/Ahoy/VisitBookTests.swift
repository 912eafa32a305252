import AhoyTracker
import Effects
import Testing

@testable import FootfallApp

@Suite struct VisitBookTests {
  private func record(_ number: Int, at moment: Int64 = 0) -> VisitRecord {
    VisitRecord(
      tokens: VisitTokens(visit: "visit-\(number)", visitor: "visitor"), createdAtMilliseconds: moment,
      fields: [JSONMember("utm_source", .string("é\"\(number)"))])
  }

  @Test func readsBackWhatItWrote() {
    var book = VisitBook()
    for number in 0..<3 { book.keep(record(number)) }
    book.keep(record(1).confirmed(by: "http://a/"))
    let read = VisitBook(stored: book.bytes)
    #expect(read.records == book.records)
    #expect(read.current == record(2))
    #expect(read[visit: "visit-1"]?.isRegistered(at: "http://a/") == true)
    #expect(read[visit: "visit-9"] == nil)
  }

  @Test(arguments: ["", "[", "{}", "[1,null,{}]", #"[{"v":2}]"#])
  func startsEmptyFromAnythingElse(text: String) {
    #expect(VisitBook(stored: Array(text.utf8)).records.isEmpty)
  }

  @Test func forgetsTheOldestAndNeverTheCurrentOne() {
    var book = VisitBook()
    for number in 0..<200 { book.keep(record(number)) }
    #expect(book.records.count == VisitBook.limit)
    #expect(book.current == record(199))
    book.keepOld(record(1))
    #expect(book.records.count == VisitBook.limit)
    #expect(book.current == record(199))
    #expect(book[visit: "visit-1"] != nil)
  }
}

@Suite struct RegistrationPauseTests {
  @Test func doublesUpToFiveMinutes() {
    var pause = RegistrationPause()
    var previous: Int64 = 0
    for failure in 1...30 {
      let length = pause.fail(asked: nil, isForPeople: false, now: 1000, random: UInt64.max)
      #expect(length >= previous / 2)
      #expect(length <= 300_000)
      #expect(failure > 9 || length <= 1000 << Int64(failure - 1))
      #expect(pause.until == 1000 + length)
      previous = length
    }
    #expect(previous > 140_000)
  }

  @Test func heedsTheServerWithinReason() {
    var pause = RegistrationPause()
    #expect(pause.fail(asked: 7_000, isForPeople: false, now: 0, random: 0) == 7_000)
    #expect(pause.fail(asked: Int.max, isForPeople: false, now: 0, random: 0) == 3_600_000)
    #expect(pause.fail(asked: nil, isForPeople: true, now: .max, random: 0) >= 150_000)
    #expect(pause.until == .max)
  }
}
