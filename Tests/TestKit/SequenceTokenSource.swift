public import Effects
import Synchronization

/// Tokens that count up: reproducible, each one different from all before it.
public final class SequenceTokenSource: TokenSource {
  private let taken: Mutex<UInt64>

  /// The first token is `first`.
  public init(first: UInt64 = 1) { taken = Mutex(first &- 1) }

  /// The number of tokens handed out, when the first was 1.
  public var count: UInt64 { taken.withLock { $0 } }

  /// The next token.
  public func sixteenBytes() -> (UInt64, UInt64) {
    taken.withLock {
      $0 &+= 1
      return ($0, $0)
    }
  }
}
