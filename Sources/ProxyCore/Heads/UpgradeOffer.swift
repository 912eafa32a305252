package import HTTPWire

/// The protocols that a client may switch to: those that it asked for and the settings allow (RFC 9110, section 7.8).
package struct UpgradeOffer: Sendable, Equatable {
  /// A protocol as `Upgrade` names it, in lower case; the version may be empty.
  private struct Member: Equatable {
    var name: [UInt8]
    var version: [UInt8]

    /// Whether an answer with the other member is an answer to this one. Either may leave the version to the protocol.
    func covers(_ other: Member) -> Bool {
      name == other.name && (version == other.version || version.isEmpty || other.version.isEmpty)
    }
  }

  private let members: [Member]
  /// The value of the `Upgrade` field for the origin, in the client's words.
  package let value: [UInt8]

  /// What the request offers; nil when there is nothing: no `Upgrade`, no `Connection: upgrade` with it, a client of
  /// HTTP/1.0, which cannot mean it, or nothing that is allowed.
  ///
  /// - Parameter allowed: names of protocols in lower case.
  package init?(
    _ bytes: Bytes, _ head: RequestHead, _ lines: UnsafeMutablePointer<FieldLine>, allowed: [[UInt8]]
  ) {
    guard head.minorVersion == 1, head.fields.hasUpgrade, head.fields.connectionUpgrade else { return nil }
    var members: [Member] = []
    var value: [UInt8] = []
    UpgradeOffer.forEach(bytes, head.fields, lines) { text in
      guard let member = UpgradeOffer.member(text), allowed.contains(member.name) else { return }
      if !value.isEmpty { value += [UInt8(ascii: ","), 0x20] }
      value += text
      members.append(member)
    }
    guard !members.isEmpty else { return nil }
    self.members = members
    self.value = value
  }

  /// Whether the response, a 101, switches to something, and to nothing that was not offered.
  package func covers(
    _ bytes: Bytes, _ head: ResponseHead, _ lines: UnsafeMutablePointer<FieldLine>
  ) -> Bool {
    var named = 0
    var isCovered = true
    UpgradeOffer.forEach(bytes, head.fields, lines) { text in
      named &+= 1
      guard let answer = UpgradeOffer.member(text), members.contains(where: { $0.covers(answer) }) else {
        isCovered = false
        return
      }
    }
    return named > 0 && isCovered
  }

  private static func forEach(
    _ bytes: Bytes, _ digest: FieldDigest, _ lines: UnsafeMutablePointer<FieldLine>,
    _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) {
    for index in 0..<digest.count where lines[index].id == .upgrade {
      var list = ListMembers(bytes, Int(lines[index].valueStart), Int(lines[index].valueLength))
      while let member = list.nextMember() {
        body(UnsafeBufferPointer(start: bytes + member.start, count: member.length))
      }
    }
  }

  /// `name ["/" version]`; nil when that is not what the text is.
  private static func member(_ text: UnsafeBufferPointer<UInt8>) -> Member? {
    let folded = text.map { $0 >= 0x41 && $0 <= 0x5a ? $0 | 0x20 : $0 }
    let parts = folded.split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty, parts.allSatisfy({ $0.allSatisfy(FieldText.isLowercaseToken) })
    else { return nil }
    return Member(name: Array(name), version: parts.count > 1 ? Array(parts[1]) : [])
  }
}
