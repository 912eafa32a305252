import AhoyTracker
import Testing

@testable import Ahoy

@Suite struct VisitBoardTests {
  static func entry(_ token: String) -> VisitBoard.Entry {
    VisitBoard.Entry(
      record: VisitRecord(tokens: VisitTokens(visit: token, visitor: "v"), createdAtMilliseconds: 0),
      visit: Visit(visitorToken: "v", visitToken: token, userId: nil, additionalParams: nil))
  }

  @Test func replaysWhatIsCurrentOnly() async {
    let board = VisitBoard()
    #expect(board.latest == nil)
    board.publish(Self.entry("one"))
    var replaying = board.stream { $0.visit.visitToken == "one" }.makeAsyncIterator()
    var other = board.stream { _ in false }.makeAsyncIterator()
    board.publish(Self.entry("two"))
    board.finish()
    #expect(await replaying.next()?.visitToken == "one")
    #expect(await replaying.next()?.visitToken == "two")
    #expect(await replaying.next() == nil)
    #expect(await other.next()?.visitToken == "two")
    #expect(await other.next() == nil)
  }

  @Test func losesNothingThatIsPublishedWhileItLooks() async {
    let board = VisitBoard()
    board.publish(Self.entry("one"))
    // A visit is confirmed while it is found out whether the one before is still current.
    var iterator = board.stream { _ in
      board.publish(Self.entry("two"))
      return true
    }.makeAsyncIterator()
    board.publish(Self.entry("three"))
    #expect(await iterator.next()?.visitToken == "two")
    #expect(await iterator.next()?.visitToken == "three")
  }

  @Test func forgetsWhoNoLongerListens() async {
    let board = VisitBoard()
    let listener = Task { for await _ in board.stream(isCurrent: { _ in true }) {} }
    while board.observerCount == 0 { await Task.yield() }
    listener.cancel()
    await listener.value
    #expect(board.observerCount == 0)
  }
}
