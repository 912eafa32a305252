public import Effects
import Glibc
import Synchronization

/// Random bytes of the operating system: getrandom(2).
///
/// One call fetches sixteen tokens (256 bytes, the most that is never interrupted), since a proxy that records needs one
/// per request. A token is wiped from the reserve as it is handed out.
public final class SystemTokenSource: TokenSource {
  private struct Reserve {
    var words = [UInt64](repeating: 0, count: 32)
    var remaining = 0
  }

  /// The source of this module's own temporary names.
  static let shared = SystemTokenSource()

  private let reserve = Mutex(Reserve())

  /// A source with an empty reserve.
  public init() {}

  /// The next token.
  public func sixteenBytes() -> (UInt64, UInt64) {
    reserve.withLock { reserve in
      if reserve.remaining < 2 {
        Self.fill(&reserve.words)
        reserve.remaining = reserve.words.count
      }
      reserve.remaining -= 2
      let token = (reserve.words[reserve.remaining], reserve.words[reserve.remaining + 1])
      reserve.words[reserve.remaining] = 0
      reserve.words[reserve.remaining + 1] = 0
      return token
    }
  }

  private static func fill(_ words: inout [UInt64]) {
    // getentropy(3) is getrandom(2) without its partial results; Swift's Glibc module lacks the latter.
    let isFilled = words.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return getentropy(start, bytes.count) == 0
    }
    guard !isFilled else { return }
    // A sandbox refuses the call. The generator of the standard library then reads /dev/urandom, and ends the process
    // when there is no randomness to be had at all: guessable ids would be worse.
    var generator = SystemRandomNumberGenerator()
    for index in words.indices { words[index] = generator.next() }
  }
}
