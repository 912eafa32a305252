/// Turns the text of a regular expression into something that searches; the seam to the regular-expression library.
///
/// An engine is handed in where the program is put together, so that rules can be compiled without C.
public protocol PatternEngine: Sendable {
  /// Compiles one pattern: case-sensitive, no options, `^` and `$` at the ends of the subject only.
  func compile(_ pattern: String) throws(PatternError) -> any CompiledPattern
}

/// A compiled pattern that any number of threads may search with at the same time.
public protocol CompiledPattern: Sendable {
  /// Searches for the pattern anywhere in the subject.
  ///
  /// The call returns after a bounded time, whatever the pattern and the subject.
  ///
  /// - Parameters:
  ///   - subject: ASCII bytes, valid for the length of the call.
  ///   - count: The number of bytes.
  func search(_ subject: UnsafePointer<UInt8>, _ count: Int) -> PatternOutcome
}

/// How a search ended.
public enum PatternOutcome: Sendable {
  /// The pattern was found.
  case match
  /// The pattern is not there.
  case noMatch
  /// The search would have taken too long or too much memory, so nobody knows. Counts as no match.
  case limitReached
}

/// Why a pattern was not compiled.
public struct PatternError: Error, Sendable, Hashable {
  /// Whose fault it is; stable, used by tests.
  public enum Code: String, Sendable {
    /// The text is not a regular expression.
    case syntax
    /// The text asks for something that this engine does not do.
    case unsupported
    /// The pattern is too large to be compiled.
    case tooLarge = "too-large"
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong, in the words of the engine.
  public let message: String
  /// Where in the UTF-8 bytes of the pattern, when the engine knows.
  public let offset: Int?

  /// A failure of the given kind.
  public init(_ code: Code, _ message: String, offset: Int? = nil) {
    self.code = code
    self.message = message
    self.offset = offset
  }
}
