/// Bounds and times of the outbound transport.
package struct OutboundOptions: Sendable, Hashable {
  /// From the wish for a connection to its standing: looking the name up and connecting.
  package var connectMilliseconds = 10_000
  /// The TLS handshake.
  package var handshakeMilliseconds = 10_000
  /// How long a connection without a request is kept; below the 20 seconds after which puma closes it, so that a
  /// request seldom meets that end.
  package var idleMilliseconds = 15_000
  /// Connections to one origin at a time; further requests wait for one, as long as their time lasts.
  package var connectionsPerOrigin = 8
  /// Connections without a request that are kept for one origin.
  package var idlePerOrigin = 4
  /// Bytes of a response's content; it is cut there, and its connection closed.
  package var bodyLimit = 1 << 20
  /// PEM files with roots that are trusted beside those of the system.
  package var certificateFiles: [String] = []

  package init() {}
}
