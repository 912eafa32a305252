/// Where the tokens of visitor and visit come from.
///
/// Ahoy asks for both whenever it needs a visit; another visit token than before means that a new visit has begun. Tokens
/// consist of letters, digits and `-`, at most 64 of them. Both properties are read on any thread and should be fast.
/// ``PersistedTokenManager`` is what is used unless you bring your own.
public protocol AhoyTokenManager: Sendable {
  /// Who visits: the same for all visits of an installation.
  var visitorToken: String { get }
  /// The visit of this moment. Once it has ended, the next reading gives that of a new one.
  var visitToken: String { get }
}
