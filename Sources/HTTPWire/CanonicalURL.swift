/// An http or https URL in the one form that rules look at, and where its parts lie.
///
/// The subject is `scheme://host[:port if not the default]path[?query]` in ASCII: scheme and host in lower case, an
/// empty path written as `/`, bytes from 0x80 on as `%XX`, everything else as sent. Offsets that begin with `raw`
/// count in the parsed input, the others in the subject.
package struct CanonicalURL: Sendable, Hashable {
  /// The scheme is https.
  package var isSecure = false
  /// The effective port.
  package var port: UInt16 = 0
  package var hostStart = 0
  /// With the brackets of an IPv6 literal.
  package var hostLength = 0
  package var hostIsIPv6Literal = false
  /// The length of scheme, host and port: where the path starts in the subject.
  package var originLength = 0
  /// The length of the path without the query; at least 1.
  package var pathLength = 0
  /// The length of the subject.
  package var length = 0
  /// The path has a dot segment, also in escapes, or a backslash: servers disagree about what it names, so it
  /// matches no rule. It is forwarded all the same.
  package var isAmbiguous = false
  /// The port is written with leading zeros or is an empty one: another reader might take it for another port.
  package var hasOddPort = false
  /// The authority as sent: host and port, no userinfo.
  package var rawAuthorityStart = 0
  package var rawAuthorityLength = 0
  /// Path and query as sent, without a fragment: what is forwarded. When it does not begin with `/` the path was
  /// empty, and a `/` belongs before it.
  package var rawPathStart = 0
  package var rawPathLength = 0

  package init() {}
}

/// The authority of a CONNECT: where its host lies in the subject, and its port.
package struct Authority: Sendable, Hashable {
  package var hostStart = 0
  /// With the brackets of an IPv6 literal.
  package var hostLength = 0
  package var port: UInt16 = 0
  package var isIPv6Literal = false

  package init() {}
}

/// Why a text is no target that can be forwarded or matched.
package enum TargetFault: UInt8, Error, Sendable, CaseIterable {
  /// A control byte, a space or DEL.
  case forbiddenByte
  /// A scheme other than http and https.
  case notHTTP
  /// `@` in the authority (RFC 9110, section 4.2.4).
  case userinfo
  /// No host, or one outside the grammar.
  case malformedHost
  /// Not digits, 0, above 65535, or missing where one is needed.
  case malformedPort
  /// `#` in a request target.
  case fragment
  /// No scheme or no `//`; or more bytes than the subject has room for.
  case malformed
}

/// What to do with the fragment of a URL.
package enum FragmentPolicy: Sendable {
  /// `#` is a fault: it cannot stand in a request target.
  case refuse
  /// Left out, as a client does before it sends a URL.
  case cut
}
