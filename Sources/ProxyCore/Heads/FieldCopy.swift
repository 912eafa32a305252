import HTTPWire

/// Copies the field lines that travel on from a parsed head: unchanged, in their order and case, in as few pieces as
/// the removed ones leave (RFC 9110, section 7.6.1 and 5.3).
struct FieldCopy {
  let bytes: Bytes
  let lines: UnsafeMutablePointer<FieldLine>
  let digest: FieldDigest
  /// Where the last field line ends: two bytes before the end of the head.
  let end: Int

  /// Appends the lines for which `removes` says false. `removes` gets the index of the line.
  @inline(__always)
  func append(to output: inout OutputBuffer, removing removes: (Int) -> Bool) {
    var start = -1
    for index in 0..<digest.count {
      let lineStart = Int(lines[index].nameStart)
      if removes(index) {
        if start >= 0 {
          output.append(bytes + start, lineStart - start)
          start = -1
        }
      } else if start < 0 {
        start = lineStart
      }
    }
    if start >= 0 { output.append(bytes + start, end - start) }
  }

  /// Whether a `Connection` field names the line's field. Never true for what frames or routes the message.
  func isNominated(_ index: Int) -> Bool {
    guard digest.connectionNominates else { return false }
    switch lines[index].id {
    case .host, .contentLength, .transferEncoding, .trailer, .via, .maxForwards, .expect: return false
    default: break
    }
    return digest.nominates(bytes + Int(lines[index].nameStart), Int(lines[index].nameLength), in: bytes, lines)
  }

  /// Whether the line's name is that lower-case name in any case, or with underscores for its hyphens, which some
  /// servers take for the same.
  @inline(__always)
  func isNamed(_ index: Int, _ name: [UInt8]) -> Bool {
    let length = Int(lines[index].nameLength)
    guard length == name.count else { return false }
    let start = bytes + Int(lines[index].nameStart)
    return name.withUnsafeBufferPointer { wanted in
      for position in 0..<length {
        let byte = start[position]
        let lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
        if lower != wanted[position] && !(lower == UInt8(ascii: "_") && wanted[position] == UInt8(ascii: "-")) {
          return false
        }
      }
      return true
    }
  }
}
