package import HTTPWire

/// Questions about a request head that need the values of its fields; asked only when the digest says they are there.
package struct RequestInspection {
  private let bytes: Bytes
  private let lines: UnsafeMutablePointer<FieldLine>
  private let digest: FieldDigest

  package init(_ bytes: Bytes, _ head: RequestHead, _ lines: UnsafeMutablePointer<FieldLine>) {
    self.bytes = bytes
    self.lines = lines
    digest = head.fields
  }

  /// Whether a `Via` field holds that pseudonym (RFC 9110, section 7.6.3): the request has been here before.
  package func viaNames(_ pseudonym: [UInt8]) -> Bool {
    anyLine(.via, contains: pseudonym, ignoringCase: false, wholeWord: true)
  }

  /// Whether the request asks for a WebSocket (RFC 6455, section 4.1); such a request never matches a rule (contract
  /// guance.md, VM-1).
  package var asksForWebSocket: Bool {
    digest.hasUpgrade && digest.connectionUpgrade
      && anyLine(.upgrade, contains: Array("websocket".utf8), ignoringCase: true, wholeWord: true)
  }

  /// The value of `Max-Forwards`, a greater one cut to `hopLimit`; nil when there is none or it is not a number (RFC
  /// 9110, section 7.6.2).
  package var maxForwards: Int64? {
    guard digest.maxForwardsIndex >= 0 else { return nil }
    let line = lines[digest.maxForwardsIndex]
    guard line.valueLength > 0 else { return nil }
    var value: Int64 = 0
    for offset in 0..<Int(line.valueLength) {
      let byte = bytes[Int(line.valueStart) + offset]
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      value = min(value &* 10 &+ Int64(byte &- 0x30), RequestInspection.hopLimit)
    }
    return value
  }

  /// The most hops that are counted.
  package static let hopLimit: Int64 = 1_000_000_000

  private func anyLine(
    _ id: FieldID, contains wanted: [UInt8], ignoringCase: Bool, wholeWord: Bool = false
  ) -> Bool {
    guard !wanted.isEmpty else { return false }
    for index in 0..<digest.count where lines[index].id == id {
      let value = UnsafeBufferPointer(start: bytes + Int(lines[index].valueStart), count: Int(lines[index].valueLength))
      guard value.count >= wanted.count else { continue }
      for start in 0...(value.count - wanted.count) {
        let matches = wanted.indices.allSatisfy {
          let byte = value[start + $0]
          return byte == wanted[$0] || (ignoringCase && byte | 0x20 == wanted[$0])
        }
        if matches, !wholeWord || isWord(value, start, start + wanted.count) { return true }
      }
    }
    return false
  }

  /// Whether blanks and commas, or the ends of the value, stand around that part of it; a protocol's version may follow.
  private func isWord(_ value: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Bool {
    let borders: [UInt8] = [0x20, 0x09, UInt8(ascii: ",")]
    return (start == 0 || borders.contains(value[start - 1]))
      && (end == value.count || borders.contains(value[end]) || value[end] == UInt8(ascii: "/"))
  }
}
