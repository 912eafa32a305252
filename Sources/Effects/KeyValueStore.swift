/// Small durable state: the visitor record, later the visit, the identity and the flags.
///
/// A call returns once the value would survive the end of the process.
public protocol KeyValueStore: Sendable {
  /// The stored bytes, or nil when the key was never set or was removed.
  func value(forKey key: String) throws(StoreError) -> [UInt8]?
  /// Stores the bytes under the key, replacing what was there.
  func set(_ value: [UInt8], forKey key: String) throws(StoreError)
  /// Removes the key; not an error when it is not there.
  func removeValue(forKey key: String) throws(StoreError)
}

/// Why a store could not do what it was asked.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What kind of failure it was; stable, used by tests and as a metric label.
  public enum Code: String, Sendable {
    /// No space is left on the device, or a quota or cap was reached.
    case full
    /// The device or the file system failed.
    case inputOutput = "io"
    /// The stored data is not readable as what it should be.
    case corrupt
    /// Another process or another call holds the store.
    case busy
    /// The operating system refused access.
    case denied
    /// A newer version of the program wrote the store; it is left alone.
    case newer
    /// The store was closed before the call.
    case closed
  }

  /// The kind of failure.
  public let code: Code
  /// What happened, in words for an operator.
  public let detail: String

  /// A failure of the given kind.
  public init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// The code and the detail on one line.
  public var description: String { "\(code.rawValue): \(detail)" }

  /// Two errors are equal when their codes are.
  public static func == (one: StoreError, other: StoreError) -> Bool { one.code == other.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
