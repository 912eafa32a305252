import CohorlyTracker
import Foundation
import Synchronization
import Testing

@testable import Cohorly

@Suite struct FlagListenersTests {
  static func map(_ number: Int) -> [String: FeatureFlag] {
    ["n": FeatureFlag(Flag(isEnabled: true, variant: "\(number)"))]
  }

  @Test func tellsInOrder() async throws {
    let listeners = FlagListeners()
    let heard = Mutex<[String?]>([])
    _ = listeners.add({ flags in heard.withLock { $0.append(flags["n"]?.variant) } }, toldAtOnce: nil)
    for number in 0..<500 { listeners.tell(Self.map(number), replacing: false) }
    #expect(try await eventually { heard.withLock { $0.count } == 500 })
    #expect(heard.withLock { $0 } == (0..<500).map { "\($0)" })
  }

  /// What is of another identity is not even heard late.
  @Test func forgetsWhatIsOutOfDate() async throws {
    let listeners = FlagListeners()
    let heard = Mutex<[String?]>([])
    let gate = DispatchSemaphore(value: 0)
    _ = listeners.add(
      { flags in
        heard.withLock { $0.append(flags["n"]?.variant) }
        if flags["n"]?.variant == "0" { gate.wait() }
      }, toldAtOnce: Self.map(0))
    #expect(try await eventually { heard.withLock { $0.count } == 1 })
    listeners.tell(Self.map(1), replacing: false)
    listeners.tell([:], replacing: true)
    listeners.tell(Self.map(2), replacing: false)
    gate.signal()
    #expect(try await eventually { heard.withLock { $0.count } == 3 })
    #expect(heard.withLock { $0 } == ["0", nil, "2"])
  }

  @Test func tellsNobodyWhoHasGone() async throws {
    let listeners = FlagListeners()
    let heard = Mutex(0)
    let end = listeners.add({ _ in heard.withLock { $0 += 1 } }, toldAtOnce: nil)
    end()
    listeners.tell(Self.map(1), replacing: false)
    let other = Mutex(0)
    _ = listeners.add({ _ in other.withLock { $0 += 1 } }, toldAtOnce: Self.map(2))
    #expect(try await eventually { other.withLock { $0 } == 1 })
    #expect(heard.withLock { $0 } == 0)
  }
}
