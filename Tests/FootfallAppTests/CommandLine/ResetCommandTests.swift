import AdminAPI
import FootfallApp
import Testing

/// `reset`, against a real admin endpoint.
@Suite struct ResetCommandTests {
  @Test(arguments: [["reset"], ["reset", "visitorID"], ["reset", "visitorID", "visitorID"]])
  func resetsAndTellsTheNewID(arguments: [String]) throws {
    let admin = try RunningAdmin()
    defer { admin.stop() }
    let run = CommandRun(arguments, configuration: admin.configuration())
    #expect(run.code == .ok)
    #expect(run.output == "visitorID: the new id 1f0c9f5e… is in force\n")
  }

  @Test func tellsThatNothingIsInForceWhenTheFeatureIsOff() throws {
    let admin = try RunningAdmin(reset: .cleared)
    defer { admin.stop() }
    let run = CommandRun(["reset"], configuration: admin.configuration())
    #expect(run.code == .ok)
    #expect(run.output.contains("the feature is off"))
  }

  @Test func aResetThatFailedIsAFailure() throws {
    let admin = try RunningAdmin(reset: .failed(reason: "full: no space"))
    defer { admin.stop() }
    let run = CommandRun(["reset"], configuration: admin.configuration())
    #expect(run.code == .inputOutput)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("no space"))
  }

  @Test(arguments: [
    ("visitor", "Did you mean \"visitorID\"?"), ("visits", "Did you mean \"visit\"?"),
    ("everything", "Known: visitorID, visit, cohorly."), ("cohorli", "Did you mean \"cohorly\"?"),
  ])
  func unknownNamesAreWrongUse(name: String, hint: String) {
    let run = CommandRun(["reset", name])
    #expect(run.code == .usage)
    #expect(run.error.contains(hint))
  }

  @Test func resetsTheIdentityOfCohorlyAndTellsTheLoss() throws {
    let asked = OrderedBackends.Asked()
    let run = try OrderedBackends.run(["reset", "cohorly"], asked)
    #expect(run.code == .ok)
    #expect(run.output == "cohorly: the new id 1f0c9f5e… is in force, 1,200 unsent records discarded\n")
    let flushed = try OrderedBackends.run(["reset", "visitorID", "cohorly", "--flush"], asked)
    #expect(flushed.code == .ok)
    #expect(
      flushed.output
        == "visitorID: the new id 1f0c9f5e… is in force\ncohorly: the new id 1f0c9f5e… is in force\n")
    #expect(asked.all == ["reset cohorly", "reset cohorly flush"])
    #expect(try OrderedBackends.run(["reset", "visit", "--flush"], asked).code == .usage)
    #expect(asked.all.count == 2)
    let admin = try RunningAdmin()
    defer { admin.stop() }
    let without = CommandRun(["reset", "cohorly"], configuration: admin.configuration())
    #expect(without.code == .configuration)
    #expect(without.error.contains("Cohorly is not configured"))
  }
}
