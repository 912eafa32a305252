extension FieldDigest {
  /// The names that `Connection` lines of the head nominate, in lower case, without the options `close`, `keep-alive`
  /// and `upgrade`; which must not be forwarded, nor pass as trailers (RFC
  /// 9110, section 7.6.1).
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
