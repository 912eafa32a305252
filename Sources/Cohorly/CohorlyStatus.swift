public import Foundation

/// How a client stands.
public struct CohorlyStatus: Sendable, Hashable {
  /// What the delivery does.
  public enum Delivery: String, Sendable, Hashable {
    /// Nothing stands in its way.
    case delivering
    /// The next attempt waits for a pause to end.
    case retrying
    /// The server takes nothing with this token, or cannot be reached in a way that only a person can mend.
    case misconfigured
    /// Nothing is sent: the client is disabled or shut down.
    case stopped
  }

  /// What the delivery does.
  public var delivery: Delivery
  /// Records that wait.
  public var waiting: Int
  /// Records that the server has taken.
  public var delivered: Int
  /// Records that went because too many waited, or because they cannot be sent: not encodable, or larger than a request.
  public var dropped: Int
  /// Records that the server refused for good.
  public var refused: Int
  /// What the server last refused of a request that it took otherwise, one line for each operation.
  public var refusedOperations: [String]
  /// What went wrong last in the delivery; kept after recovery.
  public var lastError: String?
  /// Why the last evaluation of flags failed; nil after a success.
  public var flagError: String?
  /// Why the storage could not be used last; nil when it could.
  public var storageError: String?
  /// When the next attempt is due, while a pause is on.
  public var nextAttempt: Date?
}
