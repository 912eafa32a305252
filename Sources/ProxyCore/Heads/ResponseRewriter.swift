package import HTTPWire

/// Turns an origin's response head into the one for the client (RFC 9110, section 7.6; RFC 9112, sections 6 and 9.6).
package final class ResponseRewriter: Sendable {
  /// The entry for `Via`, or nil to add none.
  package let via: ViaField?

  package init(via: ViaField?) { self.via = via }

  /// Appends the head of an interim response.
  package func appendInterim(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: ResponseHead, _ lines: UnsafeMutablePointer<FieldLine>
  ) {
    append(to: &output, bytes, head, lines, removesFraming: true, trailers: nil, date: nil)
    output.append("\r\n")
  }

  /// Appends the head of a 101, after which both sides speak the protocol that it names.
  package func appendSwitch(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: ResponseHead, _ lines: UnsafeMutablePointer<FieldLine>
  ) {
    append(to: &output, bytes, head, lines, removesFraming: true, trailers: nil, date: nil)
    output.append("Connection: Upgrade\r\n")
    for index in 0..<head.fields.count where lines[index].id == .upgrade {
      output.append("Upgrade: ")
      output.append(bytes + Int(lines[index].valueStart), Int(lines[index].valueLength))
      output.append("\r\n")
    }
    output.append("\r\n")
  }

  /// Appends the head of the final response.
  ///
  /// - Parameters:
  ///   - trailers: which trailer fields the client gets; nil for none.
  ///   - date: a `Date` line for a head that lacks the field (RFC 9110, section 6.6.1); nil for one that has it.
  package func appendFinal(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: ResponseHead, _ lines: UnsafeMutablePointer<FieldLine>,
    method: Method, delivery: Exchange.Delivery, keepsClient: Bool, trailers: TrailerFilter?,
    date: [UInt8]?
  ) {
    append(
      to: &output, bytes, head, lines, removesFraming: head.status == 204, trailers: trailers, date: date,
      removesCoding: delivery != .relayedChunks && !(delivery == .none && method == .head && keepsClient))
    if delivery == .encodedChunks { output.append("Transfer-Encoding: chunked\r\n") }
    if !keepsClient { output.append("Connection: close\r\n") }
    output.append("\r\n")
  }

  private func append(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: ResponseHead, _ lines: UnsafeMutablePointer<FieldLine>,
    removesFraming: Bool, trailers: TrailerFilter?, date: [UInt8]?, removesCoding: Bool = true
  ) {
    output.append("HTTP/1.1 ")
    output.append(decimal: Int64(head.status))
    output.append(0x20)
    output.append(bytes + head.reasonStart, head.reasonLength)
    output.append("\r\n")
    let copy = FieldCopy(bytes: bytes, lines: lines, digest: head.fields, end: head.length - 2)
    var lengthIsKept = false
    copy.append(to: &output) { index in
      switch lines[index].id {
      case .other, .date, .authorization: return head.fields.connectionNominates && copy.isNominated(index)
      case .contentLength:
        // Several equal values, or a list of them, become one (RFC 9112, section 6.3).
        if removesFraming || lengthIsKept || !isPlainNumber(bytes, lines[index]) { return true }
        lengthIsKept = true
        return false
      case .transferEncoding: return removesFraming || removesCoding
      case .trailer: return trailers.map { !copy.isWhollyAnnounced(index, $0) } ?? true
      case let id: return id.isHopByHop
      }
    }
    if head.fields.contentLength >= 0, !lengthIsKept, !removesFraming {
      output.append("Content-Length: ")
      output.append(decimal: head.fields.contentLength)
      output.append("\r\n")
    }
    if let trailers, head.fields.hasTrailer { copy.appendTrailerNames(to: &output, trailers) }
    if let date { output.append(date) }
    if let via { via.append(to: &output, head.minorVersion) }
  }

  private func isPlainNumber(_ bytes: Bytes, _ line: FieldLine) -> Bool {
    let value = bytes + Int(line.valueStart)
    return (0..<Int(line.valueLength)).allSatisfy { value[$0] >= 0x30 && value[$0] <= 0x39 }
  }
}
