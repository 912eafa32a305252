import Effects

@testable import CohorlyTracker

/// The answer that the contract's rows 59 to 92 use, and times around it.
enum FlagVectors {
  static let start: Int64 = 1_700_000_000_000
  static let hour: Int64 = 3_600_000
  static let day = 24 * hour
  /// The default time to live.
  static let ttl = day
  /// How long `persistenceUntilNetworkSuccess` serves.
  static let week = 7 * day

  static let checkout = Flag(isEnabled: true)
  static let banner = Flag(isEnabled: true, variant: "blue", payload: ["color": "#00f"])
  static let hidden = Flag(isEnabled: false)
  static let flags = ["checkout": checkout, "banner": banner, "hidden": hidden]

  /// The text of the flags in which `banner` has that variant.
  static func map(_ variant: String = "blue") -> String {
    ##"{"checkout":{"enabled":true,"variant":null,"payload":null,"reason":"rule:0"},"##
      + ##""banner":{"enabled":true,"variant":"\##(variant)","payload":{"color":"#00f"},"reason":"rule:1"},"##
      + ##""hidden":{"enabled":false,"variant":null,"payload":null,"reason":"no_match"}}"##
  }

  static func answer(_ variant: String = "blue") -> FlagAnswer {
    .parse(status: 200, body: bytes(#"{"flags":\#(map(variant))}"#))
  }

  /// A cache as it lies in the key-value store; without a time when `storedAt` is nil.
  static func cache(_ variant: String = "blue", of distinctID: String = "anon", storedAt: Int64?) -> [UInt8] {
    let time = storedAt.map { #","stored_at":\#($0)"# } ?? ""
    return bytes(#"{"distinct_id":"\#(distinctID)","flags":\#(map(variant))\#(time)}"#)
  }

  static func bytes(_ text: some StringProtocol) -> [UInt8] { Array(text.utf8) }
  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension FlagValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral {
  /// A variant.
  public init(stringLiteral value: String) { self = .text(value) }
  /// A truth.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}
