import Testing

@testable import CohorlyTracker

@Suite struct FlagEvaluationTests {
  @Test func row60_asksForAnIdentityAndNothingElse() {
    #expect(FlagEvaluation.path == "/flags/evaluate")
    #expect(
      FlagVectors.text(FlagEvaluation.body(distinctID: "user-1", token: "tok-1"))
        == #"{"distinct_id":"user-1","token":"tok-1"}"#)
  }

  @Test func leavesOutATokenThatIsNotThere() {
    #expect(FlagVectors.text(FlagEvaluation.body(distinctID: "a\"\n", token: nil)) == #"{"distinct_id":"a\"\n"}"#)
  }
}
