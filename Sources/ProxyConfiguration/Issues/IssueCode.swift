/// The codes of issues beside those of the JSON reader.
extension ConfigurationIssue.Code {
  /// The document is not an object, or a value is of another type than the key takes.
  package static let wrongType = Self(rawValue: "wrong-type")
  /// No version of Footfall knows the key.
  package static let unknownKey = Self(rawValue: "unknown-key")
  /// The key belongs to a later version of Footfall.
  package static let unsupportedKey = Self(rawValue: "unsupported-key")
  /// The value belongs to a later version of Footfall.
  package static let unsupportedValue = Self(rawValue: "unsupported-value")
  /// A key that must be there is not.
  package static let missingKey = Self(rawValue: "missing-key")
  /// The same key twice in one object.
  package static let duplicateKey = Self(rawValue: "duplicate-key")
  /// A number that no floating-point number holds.
  package static let numberOutOfRange = Self(rawValue: "number-out-of-range")
  /// A number outside the key's range.
  package static let outOfRange = Self(rawValue: "out-of-range")
  /// A text that is not among the key's choices.
  package static let unknownChoice = Self(rawValue: "unknown-choice")
  /// A list with too few or too many elements.
  package static let listLength = Self(rawValue: "list-length")
  /// The same element twice in a list.
  package static let duplicateElement = Self(rawValue: "duplicate-element")
  /// Not an address with a port.
  package static let invalidAddress = Self(rawValue: "invalid-address")
  /// A port that is no number from 0 to 65535.
  package static let invalidPort = Self(rawValue: "invalid-port")
  /// Not an address or a block of addresses.
  package static let invalidNetwork = Self(rawValue: "invalid-network")
  /// Not a name or an address of a host, or not the URL of a proxy.
  package static let invalidHost = Self(rawValue: "invalid-host")
  /// Not the URL of a backend.
  package static let invalidURL = Self(rawValue: "invalid-url")
  /// A backend that others on the way can listen to.
  package static let unencryptedBackend = Self(rawValue: "unencrypted-backend")
  /// A backend that takes nothing from nobody.
  package static let backendWithoutToken = Self(rawValue: "backend-without-token")
  /// A User-Agent that a backend stores nothing for.
  package static let takenForRobot = Self(rawValue: "taken-for-robot")
  /// A number that a backend does not take unless it is told to.
  package static let aboveUsualLimit = Self(rawValue: "above-usual-limit")
  /// A name that means something else to a backend.
  package static let reservedName = Self(rawValue: "reserved-name")
  /// A parent proxy that is this proxy.
  package static let proxyLoop = Self(rawValue: "proxy-loop")
  /// A key that says nothing without another one.
  package static let unusedKey = Self(rawValue: "unused-key")
  /// A file without the certificates it is named for.
  package static let invalidCertificate = Self(rawValue: "invalid-certificate")
  /// A file that is named and cannot be read.
  package static let unreadableFile = Self(rawValue: "unreadable-file")
  /// A file with a secret that others than its owner may use.
  package static let exposedSecret = Self(rawValue: "exposed-secret")
  /// A file that does not hold what it should.
  package static let invalidSecret = Self(rawValue: "invalid-secret")
  /// An empty path, one with a NUL byte, or one that starts with `~`.
  package static let invalidPath = Self(rawValue: "invalid-path")
  /// A text that may not be empty, or does not have the key's form.
  package static let invalidText = Self(rawValue: "invalid-text")
  /// Two listeners on one address.
  package static let addressInUse = Self(rawValue: "address-in-use")
  /// A listener that other machines reach.
  package static let openToNetwork = Self(rawValue: "open-to-network")
  /// A list of which nothing counts, because another one wins.
  package static let contradictingLists = Self(rawValue: "contradicting-lists")
  /// A limit or time that another one makes pointless.
  package static let contradictingLimits = Self(rawValue: "contradicting-limits")
  /// A text that is no header name, or not one that every server passes on.
  package static let invalidHeader = Self(rawValue: "invalid-header")
  /// A header name that means something else.
  package static let reservedHeader = Self(rawValue: "reserved-header")
  /// A header name that some servers drop.
  package static let doubtfulHeader = Self(rawValue: "doubtful-header")
  /// A validity that is a number and of no use: ids that never end, or one for each request.
  package static let doubtfulValidity = Self(rawValue: "doubtful-validity")
  /// A matcher that names no kind, or several.
  package static let invalidMatcher = Self(rawValue: "invalid-matcher")
  /// A rule that can match nothing.
  package static let ruleWithoutMatch = Self(rawValue: "rule-without-match")
  /// A condition on https URLs, which travel in tunnels that this version does not open.
  package static let httpsNotOpened = Self(rawValue: "https-not-opened")
  /// A rule that changes nothing.
  package static let ruleWithoutEffect = Self(rawValue: "rule-without-effect")
  /// Two rules of one name.
  package static let duplicateRuleName = Self(rawValue: "duplicate-rule-name")
  /// A value for an unknown flag with which the rule never applies.
  package static let doubtfulFallback = Self(rawValue: "doubtful-fallback")
  /// A rule that injects or asks what is not configured.
  package static let featureNotConfigured = Self(rawValue: "feature-not-configured")
  /// A visitor id that no rule sends anywhere.
  package static let visitorIDWithoutRule = Self(rawValue: "visitor-id-without-rule")
}
