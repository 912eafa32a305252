import Effects

/// A stored event, member by member: its values are handed on as they are written.
struct StoredMembers {
  let payload: [UInt8]
  private let ranges: [JSONMemberRanges.Member]

  /// The object of a range, by default of all; nil when it holds none.
  init?(_ payload: [UInt8], in range: Range<Int>? = nil) {
    guard let found = JSONMemberRanges(payload, in: range) else { return nil }
    self.payload = payload
    ranges = found.members
  }

  /// Where the value of a member stands; nil when there is none of that name.
  func value(_ name: [UInt8]) -> Range<Int>? {
    for member in ranges where member.name.count == name.count && payload[member.name].elementsEqual(name) {
      return member.value
    }
    return nil
  }

  func value(_ name: String) -> Range<Int>? { value(Array(name.utf8)) }

  /// A value, read.
  func json(_ range: Range<Int>) -> JSONValue? {
    let reading = JSONReader().read(Array(payload[range]))
    return reading.issues.isEmpty ? reading.root?.value : nil
  }

  func string(_ name: String) -> String? { value(name).flatMap { JSONMemberRanges.string($0, in: payload) } }
}
