import AdminAPI
import Effects
import FootfallApp
import Testing

/// The commands for the delivery of events, against a real admin endpoint.
@Suite struct DeliveryCommandsTests {
  @Test func aFlushThatStoppedHalfwayIsAFailure() throws {
    let whole = try OrderedBackends.run(["flush"])
    #expect(whole.code == .ok)
    #expect(whole.output == "ahoy: 1,200 sent, 0 waiting\n")
    let part = try OrderedBackends.run(["flush"], isComplete: false)
    #expect(part.code == .unavailable)
    #expect(part.output == "ahoy: 1,200 sent, 2 dead, 5 waiting: status 503\n")
  }

  @Test func showsDeadLettersAndQueuesThemAgain() throws {
    let asked = OrderedBackends.Asked()
    let list = try OrderedBackends.run(["deadletters", "list", "--backend", "ahoy", "-n", "5"], asked)
    #expect(list.code == .ok)
    #expect(list.output.contains(OrderedBackends.eventID))
    #expect(!list.output.contains("\u{1b}"))
    #expect(try OrderedBackends.run(["deadletters", "list"], letters: 0).output == "there are no dead letters\n")
    #expect(try OrderedBackends.run(["deadletters", "list"], letters: 1200).error.contains("1,200 in all"))
    #expect(try OrderedBackends.run(["deadletters", "requeue", "--all"], asked).output == "7 events queued again\n")
    #expect(
      try OrderedBackends.run(["deadletters", "requeue", OrderedBackends.eventID, "--backend", "ahoy"], asked).output
        == "1 event queued again\n")
    #expect(asked.all == ["letters ahoy 5", "requeue all all", "requeue \(OrderedBackends.eventID) ahoy"])
  }
}
