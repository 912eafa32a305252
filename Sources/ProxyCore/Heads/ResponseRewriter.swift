package import HTTPWire

/// Turns an origin's response head into the one for the client (RFC 9110, section 7.6; RFC 9112, sections 6 and 9.6).
package struct ResponseRewriter {
  /// The entry for `Via` with its line end, or nil to add none.
  package let viaLine: [UInt8]?

  package init(viaLine: [UInt8]?) { self.viaLine = viaLine }

  /// Appends the head of an interim response.
  package func appendInterim(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: ResponseHead, _ lines: UnsafeMutablePointer<FieldLine>
  ) {
    append(to: &output, bytes, head, lines, removesFraming: true, removesTrailer: true)
    output.append("\r\n")
  }

  /// Appends the head of a 101, after which both sides speak the protocol that it names.
  package func appendSwitch(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: ResponseHead, _ lines: UnsafeMutablePointer<FieldLine>
  ) {
    append(to: &output, bytes, head, lines, removesFraming: true, removesTrailer: true)
    output.append("Connection: Upgrade\r\n")
    for index in 0..<head.fields.count where lines[index].id == .upgrade {
      output.append("Upgrade: ")
      output.append(bytes + Int(lines[index].valueStart), Int(lines[index].valueLength))
      output.append("\r\n")
    }
    output.append("\r\n")
  }

  /// Appends the head of the final response.
  package func appendFinal(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: ResponseHead, _ lines: UnsafeMutablePointer<FieldLine>,
    method: Method, delivery: Exchange.Delivery, keepsClient: Bool, dropsTrailers: Bool
  ) {
    let removesTrailer = dropsTrailers || delivery == .decodedChunks || delivery == .encodedChunks
    append(
      to: &output, bytes, head, lines, removesFraming: head.status == 204, removesTrailer: removesTrailer,
      removesCoding: delivery != .relayedChunks && !(delivery == .none && method == .head && keepsClient))
    if delivery == .encodedChunks { output.append("Transfer-Encoding: chunked\r\n") }
    if !keepsClient { output.append("Connection: close\r\n") }
    output.append("\r\n")
  }

  private func append(
    to output: inout OutputBuffer, _ bytes: Bytes, _ head: ResponseHead, _ lines: UnsafeMutablePointer<FieldLine>,
    removesFraming: Bool, removesTrailer: Bool, removesCoding: Bool = true
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
      case .other: return head.fields.connectionNominates && copy.isNominated(index)
      case .contentLength:
        // Several equal values, or a list of them, become one (RFC 9112, section 6.3).
        if removesFraming || lengthIsKept || !isPlainNumber(bytes, lines[index]) { return true }
        lengthIsKept = true
        return false
      case .transferEncoding: return removesFraming || removesCoding
      case .trailer: return removesTrailer
      case let id: return id.isHopByHop
      }
    }
    if head.fields.contentLength >= 0, !lengthIsKept, !removesFraming {
      output.append("Content-Length: ")
      output.append(decimal: head.fields.contentLength)
      output.append("\r\n")
    }
    if let viaLine { output.append(viaLine) }
  }

  private func isPlainNumber(_ bytes: Bytes, _ line: FieldLine) -> Bool {
    let value = bytes + Int(line.valueStart)
    return (0..<Int(line.valueLength)).allSatisfy { value[$0] >= 0x30 && value[$0] <= 0x39 }
  }
}
