package import HTTPWire
package import URLRules

/// Turns a client's request head into the one for the origin: origin-form, own Host, hop-by-hop fields out, injected
/// fields in (RFC 9112, section 3.2; RFC 9110, sections 7.2 and 7.6; design D13).
package final class RequestRewriter: Sendable {
  /// The entry for `Via`, or nil to add none.
  package let via: ViaField?

  package init(via: ViaField?) { self.via = via }

  /// Appends the head for the origin.
  ///
  /// - Parameters:
  ///   - target: where the request's target starts in `bytes`, and what it is.
  ///   - maxForwards: the value to send on instead of the received one; nil leaves the field as it is.
  ///   - upgrade: the protocols to offer to the origin.
  ///   - trailers: which trailer fields pass behind the body; nil for none, or when there can be none.
  ///   - parent: the proxy that gets the head instead of the origin, with the target as received (RFC 9112, section
  ///     3.2.2).
  package func append(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: RequestHead, _ lines: UnsafeMutablePointer<FieldLine>,
    target: CanonicalURL, verdict: RuleEffects, snapshot: InjectionSnapshot, maxForwards: Int64? = nil,
    upgrade: UpgradeOffer? = nil, trailers: TrailerFilter? = nil, parent: ParentProxy? = nil
  ) {
    let targetBytes = bytes + head.targetStart
    output.append(bytes + head.start, head.methodLength)
    output.append(0x20)
    if parent != nil, !target.hasOddPort {
      output.append(targetBytes, head.targetLength)
    } else if parent != nil {
      output.append("http://")
      appendAuthority(to: &output, targetBytes, target)
      output.append(targetBytes + target.rawPathStart, target.rawPathLength)
    } else if target.rawPathLength == 0 {
      // OPTIONS for a whole server has no path (RFC 9112, section 3.2.4).
      if head.method == .options { output.append("*") } else { output.append("/") }
    } else {
      let path = targetBytes + target.rawPathStart
      if path[0] != UInt8(ascii: "/") { output.append("/") }
      output.append(path, target.rawPathLength)
    }
    output.append(" HTTP/1.1\r\nHost: ")
    appendAuthority(to: &output, targetBytes, target)
    output.append("\r\n")

    let copy = FieldCopy(bytes: bytes, lines: lines, digest: head.fields, end: head.length - 2)
    let dropsTrailers = snapshot.settings.trailers == .drop
    let injects = verdict.rawValue & RuleEffects.injecting.rawValue != 0
    copy.append(to: &output) { index in
      switch lines[index].id {
      case .other, .date, .authorization:
        if head.fields.connectionNominates, copy.isNominated(index) { return true }
        guard injects else { return false }
        for injection in snapshot.injections where verdict.contains(injection.effect) {
          if copy.isNamed(index, injection.name) { return true }
        }
        return false
      case .host: return true
      case .maxForwards: return maxForwards != nil
      case .trailer: return trailers.map { !copy.isWhollyAnnounced(index, $0) } ?? true
      // HTTP/1.0 has no expectations (RFC 9110, section 10.1.1), and one is enough.
      case .expect: return head.minorVersion == 0 || index != head.fields.expectIndex
      case let id: return id.isHopByHop
      }
    }
    if injects {
      for injection in snapshot.injections where verdict.contains(injection.effect) { output.append(injection.line) }
    }
    if let trailers, head.fields.hasTrailer { copy.appendTrailerNames(to: &output, trailers) }
    if let maxForwards {
      output.append("Max-Forwards: ")
      output.append(decimal: maxForwards)
      output.append("\r\n")
    }
    // Who is to get no trailers does not hear that they are welcome.
    let wantsTrailers = head.fields.acceptsTrailers && head.minorVersion == 1 && !dropsTrailers
    if upgrade != nil || wantsTrailers { appendHop(to: &output, upgrade, wantsTrailers: wantsTrailers) }
    if let line = parent?.authorizationLine { output.append(line) }
    if let via { via.append(to: &output, head.minorVersion) }
    output.append("\r\n")
  }

  /// Host and port as sent, an oddly written port as it is dialled.
  @inline(__always)
  private func appendAuthority(to output: inout OutputBuffer, _ targetBytes: Bytes, _ target: CanonicalURL) {
    guard target.hasOddPort else {
      return output.append(targetBytes + target.rawAuthorityStart, target.rawAuthorityLength)
    }
    output.append(targetBytes + target.rawAuthorityStart, target.hostLength)
    if target.rawAuthorityLength > target.hostLength + 1 {
      output.append(UInt8(ascii: ":"))
      output.append(decimal: Int64(target.port))
    }
  }

  /// Appends the CONNECT that asks a parent proxy for the tunnel of the client's CONNECT. Of the client's fields only
  /// `Via` goes along, so that a loop of proxies is noticed: the others were meant for this proxy.
  ///
  /// - Parameter authority: host and port of the far end, an IPv6 literal in its brackets.
  package func appendConnect(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: RequestHead, _ lines: UnsafeMutablePointer<FieldLine>,
    authority: Bytes, _ length: Int, parent: ParentProxy
  ) {
    output.append("CONNECT ")
    output.append(authority, length)
    output.append(" HTTP/1.1\r\nHost: ")
    output.append(authority, length)
    output.append("\r\n")
    let copy = FieldCopy(bytes: bytes, lines: lines, digest: head.fields, end: head.length - 2)
    copy.append(to: &output) { lines[$0].id != .via }
    if let line = parent.authorizationLine { output.append(line) }
    if let via { via.append(to: &output, head.minorVersion) }
    output.append("\r\n")
  }

  /// What is meant for the next hop alone, and named as such (RFC 9110, sections 7.6.1, 7.8 and 10.1.4).
  @inline(never)
  private func appendHop(to output: inout OutputBuffer, _ upgrade: UpgradeOffer?, wantsTrailers: Bool) {
    output.append("Connection: ")
    if upgrade != nil { output.append(wantsTrailers ? "Upgrade, " : "Upgrade\r\n") }
    if wantsTrailers { output.append("TE\r\nTE: trailers\r\n") }
    if let upgrade {
      output.append("Upgrade: ")
      output.append(upgrade.value)
      output.append("\r\n")
    }
  }
}
