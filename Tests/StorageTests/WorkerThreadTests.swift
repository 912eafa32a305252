import Glibc
import Testing

@testable import Storage

@Suite struct WorkerThreadTests {
  /// Those of the calling thread.
  private func blockedSignals() -> [Int32] {
    var mask = sigset_t()
    pthread_sigmask(SIG_SETMASK, nil, &mask)
    return (1...64).filter { sigismember(&mask, $0) == 1 }
  }

  @Test func runsApartWithoutSignalsUnderItsName() throws {
    let before = blockedSignals()
    let seen = Monitor((name: "", blocked: false, thread: pthread_t()))
    let thread = try WorkerThread(name: "a-name-that-is-too-long") {
      var mask = sigset_t()
      pthread_sigmask(SIG_SETMASK, nil, &mask)
      let file = open("/proc/thread-self/comm", O_RDONLY)
      var buffer = [UInt8](repeating: 0, count: 32)
      let count = read(file, &buffer, 32)
      close(file)
      let name = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
      seen.withLock {
        $0 = (name, sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGUSR1) == 1, pthread_self())
      }
    }
    thread.join()
    seen.withLock { seen in
      #expect(seen.name == "a-name-that-is-\n")
      #expect(seen.blocked)
      #expect(seen.thread != pthread_self())
    }
    #expect(blockedSignals() == before, "the creator keeps its mask")
  }

  @Test func joinsAfterTheEndOfTheBody() throws {
    let steps = Monitor(0)
    let thread = try WorkerThread(name: "steps") {
      for _ in 0..<50_000 { steps.withLock { $0 += 1 } }
    }
    thread.join()
    #expect(steps.withLock { $0 } == 50_000)
  }

  @Test func letsGoOfWhatItsBodyHeld() throws {
    weak var held: Monitor<Int>?
    let thread: WorkerThread
    do {
      let state = Monitor(1)
      held = state
      thread = try WorkerThread(name: "holder") { state.withLock { $0 += 1 } }
    }
    thread.join()
    #expect(held == nil)
  }

  @Test func takesAnEmptyName() throws {
    let ran = Monitor(false)
    try WorkerThread(name: "") { ran.withLock { $0 = true } }.join()
    #expect(ran.withLock { $0 })
  }
}
