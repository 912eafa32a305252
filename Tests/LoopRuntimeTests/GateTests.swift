import LoopRuntime
import Testing

@Suite struct GateTests {
  @Test func letsAsManyPassAsWereSignalled() throws {
    let gate = Gate()
    gate.signal()
    gate.signal()
    gate.wait()
    #expect(gate.wait(nanoseconds: 0))
    #expect(!gate.wait(nanoseconds: 0))
    #expect(!gate.wait(nanoseconds: 1_500_000))
  }

  @Test func wakesAWaiterOnAnotherThread() throws {
    let here = Gate()
    let there = Gate()
    let thread = try NativeThread(name: "waiter") {
      there.wait()
      here.signal()
    }
    #expect(!here.wait(nanoseconds: 1_000_000))
    there.signal()
    #expect(here.wait(nanoseconds: 10_000_000_000))
    thread.join()
  }

  @Test func takesAnyWait() {
    let gate = Gate()
    gate.signal()
    #expect(gate.wait(nanoseconds: .max))
  }
}
