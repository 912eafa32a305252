extension FieldDigest {
  /// Whether a `Connection` line of the head names the field, which must then not be forwarded (RFC 9110, section
  /// 7.6.1). Ask only when the digest says that `Connection` nominates at all.
  package func nominates(
    _ name: Bytes, _ length: Int, in head: Bytes, _ lines: UnsafeMutablePointer<FieldLine>
  ) -> Bool {
    var index = 0
    while index < count {
      let line = lines[index]
      index &+= 1
      guard line.id == .connection else { continue }
      var members = ListMembers(head, Int(line.valueStart), Int(line.valueLength))
      while let member = members.nextMember() {
        guard member.length == length else { continue }
        var i = 0
        while i < length, Octet.lowercased(head[member.start &+ i]) == Octet.lowercased(name[i]) { i &+= 1 }
        if i == length { return true }
      }
    }
    return false
  }

  /// The names that `Connection` lines of the head nominate, in lower case, without the options `close`, `keep-alive`
  /// and `upgrade`; for `ChunkedStream.dropTrailers(named:)`.
  package func nominatedNames(in head: Bytes, _ lines: UnsafeMutablePointer<FieldLine>) -> [[UInt8]] {
    var names: [[UInt8]] = []
    var index = 0
    while index < count {
      let line = lines[index]
      index &+= 1
      guard line.id == .connection else { continue }
      var members = ListMembers(head, Int(line.valueStart), Int(line.valueLength))
      while let member = members.nextMember() {
        let start = head + member.start
        if equalIgnoringCase(start, member.length, "close") || equalIgnoringCase(start, member.length, "keep-alive")
          || equalIgnoringCase(start, member.length, "upgrade")
        {
          continue
        }
        names.append(UnsafeBufferPointer(start: start, count: member.length).map(Octet.lowercased))
      }
    }
    return names
  }
}
