/// Turns the host of a rule, as people write it, into the form that travels; the seam to the IDNA library.
///
/// Only rules pass through here: on the wire a host with a byte above 0x7F is refused.
public protocol HostNameEncoder: Sendable {
  /// The A-label form of a host that has at least one U-label (RFC 5890, section 2.3.2.1), nil when it has none.
  func asciiHost(_ host: String) -> String?
}
