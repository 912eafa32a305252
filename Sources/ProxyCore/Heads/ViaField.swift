import HTTPWire

/// The entry that this proxy adds to `Via`, as a field line of its own (RFC 9110, section 7.6.3).
package struct ViaField: Sendable {
  private let current: [UInt8]
  private let old: [UInt8]

  /// - Parameter pseudonym: how this instance names itself.
  package init(pseudonym: String) {
    current = Array("Via: 1.1 \(pseudonym)\r\n".utf8)
    old = Array("Via: 1.0 \(pseudonym)\r\n".utf8)
  }

  /// Appends the line for a message that was received in HTTP/1.`minorVersion`.
  @inline(__always)
  func append(to output: inout OutputBuffer, _ minorVersion: UInt8) {
    output.append(minorVersion == 0 ? old : current)
  }

  /// The bytes of the line.
  package var length: Int { current.count }
}
