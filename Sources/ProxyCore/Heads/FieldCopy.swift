import HTTPWire

/// Copies the field lines that travel on from a parsed head: unchanged, in their order and case, in as few pieces as
/// the removed ones leave (RFC 9110, section 7.6.1 and 5.3).
struct FieldCopy {
  let bytes: Bytes
  let lines: UnsafeMutablePointer<FieldLine>
  let digest: FieldDigest
  /// Where the last field line ends: two bytes before the end of the head.
  let end: Int
  /// What `Connection` names, in lower case.
  private let nominated: Set<[UInt8]>

  init(bytes: Bytes, lines: UnsafeMutablePointer<FieldLine>, digest: FieldDigest, end: Int) {
    self.bytes = bytes
    self.lines = lines
    self.digest = digest
    self.end = end
    // Empty, and nothing allocated, for nearly every message. A set, because a list may be long and is asked about for
    // each field.
    nominated = digest.connectionNominates ? Set(digest.nominatedNames(in: bytes, lines)) : []
  }

  /// Appends the lines for which `removes` says false. `removes` gets the index of the line.
  @inline(__always)
  func append(to output: inout OutputBuffer, removing removes: (Int) -> Bool) {
    if digest.hasSpacedName { return appendTightened(to: &output, removing: removes) }
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

  /// The same, without the white space before colons that an origin may send and a proxy must not pass on (RFC 9112,
  /// section 5.1).
  @inline(never)
  private func appendTightened(to output: inout OutputBuffer, removing removes: (Int) -> Bool) {
    for index in 0..<digest.count where !removes(index) {
      let nameStart = Int(lines[index].nameStart)
      let nameEnd = nameStart + Int(lines[index].nameLength)
      let lineEnd = index + 1 < digest.count ? Int(lines[index + 1].nameStart) : end
      var colon = nameEnd
      while colon < lineEnd, bytes[colon] != UInt8(ascii: ":") { colon += 1 }
      output.append(bytes + nameStart, nameEnd - nameStart)
      output.append(bytes + colon, lineEnd - colon)
    }
  }

  /// Appends what the `Trailer` lines announce and the filter lets pass, for those lines that `isWhollyAnnounced` denies.
  func appendTrailerNames(to output: inout OutputBuffer, _ filter: TrailerFilter) {
    for index in 0..<digest.count where lines[index].id == .trailer && !isWhollyAnnounced(index, filter) {
      var members = ListMembers(bytes, Int(lines[index].valueStart), Int(lines[index].valueLength))
      var isFirst = true
      while let member = members.nextMember() {
        guard passes(member, filter) else { continue }
        output.append(isFirst ? "Trailer: " : ", ")
        output.append(bytes + member.start, member.length)
        isFirst = false
      }
      if !isFirst { output.append("\r\n") }
    }
  }

  /// Whether the filter lets everything pass that the `Trailer` line announces.
  func isWhollyAnnounced(_ index: Int, _ filter: TrailerFilter) -> Bool {
    var members = ListMembers(bytes, Int(lines[index].valueStart), Int(lines[index].valueLength))
    while let member = members.nextMember() {
      if !passes(member, filter) { return false }
    }
    return true
  }

  private func passes(_ member: (start: Int, length: Int), _ filter: TrailerFilter) -> Bool {
    filter.passes(Array(UnsafeBufferPointer(start: bytes + member.start, count: member.length))[...])
  }

  /// Whether a `Connection` field names the line's field. Never true for what frames or routes the message.
  func isNominated(_ index: Int) -> Bool {
    guard digest.connectionNominates else { return false }
    switch lines[index].id {
    case .host, .contentLength, .transferEncoding, .trailer, .via, .maxForwards, .expect: return false
    default: break
    }
    let name = UnsafeBufferPointer(start: bytes + Int(lines[index].nameStart), count: Int(lines[index].nameLength))
    return nominated.contains(name.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 })
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
