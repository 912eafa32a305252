import Testing

@testable import EventPipeline

@Suite struct BackendGateTests {
  @Test func letsOneRequestThroughAfterAFailure() {
    var gate = BackendGate()
    #expect(gate.slots(of: 4) == 4)
    #expect(gate.fail(requestBegan: 1, now: 5) == 1)
    #expect(gate.slots(of: 4) == 1)
    // One that was under way at the same time.
    #expect(gate.fail(requestBegan: 2, now: 6) == 1)
    #expect(gate.fail(requestBegan: 7, now: 8) == 2)
    gate.deliver()
    #expect(gate.failures == 0)
    #expect(gate.slots(of: 0) == 1)
  }

  @Test func keepsAPauseThatItWasAskedFor() {
    var gate = BackendGate()
    gate.pause(until: 10, isAskedFor: true)
    gate.deliver()
    gate.hasten()
    gate.pause(until: 9, isAskedFor: false)
    #expect(gate.pausedUntil == 10)
    gate.hasten(evenIfAsked: true)
    #expect(gate.pausedUntil == 0)
  }

  @Test func endsItsOwnPauseWhenSomethingIsTaken() {
    var gate = BackendGate()
    gate.pause(until: 10, isAskedFor: false, isMisconfigured: true)
    #expect(gate.isMisconfigured)
    gate.deliver()
    #expect(gate.pausedUntil == 0 && !gate.isMisconfigured)
  }

  @Test func countsRefusalsUntilSomethingIsTaken() {
    var gate = BackendGate()
    _ = gate.fail(requestBegan: 1, now: 1)
    gate.noteRefusal()
    #expect(gate.refused == 1 && gate.failures == 1)
    gate.refuse(singleEvent: true)
    gate.refuse(singleEvent: false)
    #expect(gate.refused == 2 && gate.failures == 0)
    gate.deliver()
    #expect(gate.refused == 0)
  }
}
