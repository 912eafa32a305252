import AhoyTracker
import Effects

/// The values of the contract's vectors (section 1.1).
enum VisitVectors {
  static let visitor = "EB4DCB73-2B32-52CD-A2CF-AD7948674B22"
  static let visit = "B054681C-100B-46FE-94A0-7AACA78116CB"
  static let tokens = VisitTokens(visit: visit, visitor: visitor)
  static let fields = VisitFields.merged(platform: "iOS", appVersion: "9.9.99", osVersion: "16.0.2", parameters: [])

  static let window: Int64 = 4 * 3_600_000
  static let start: Int64 = 1_700_000_000_000
  static let backend = "https://ahoy.com/test-ahoy/my-visits"

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// An event whose text has exactly so many bytes, at least 70.
  static func event(bytes count: Int) -> PreparedEvent {
    func event(_ padding: Int) -> PreparedEvent {
      PreparedEvent(
        id: nil, name: "n", properties: [JSONMember("p", .string(String(repeating: "x", count: padding)))],
        timeMilliseconds: 0)
    }
    return event(count - event(0).json.count)
  }
}
