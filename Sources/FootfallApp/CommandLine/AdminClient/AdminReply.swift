import HTTPWire
import ProxyConfiguration

/// A complete response of the admin endpoint.
struct AdminReply: Sendable {
  let status: Int
  let body: [UInt8]

  /// Reads the bytes of a whole connection.
  init(_ bytes: [UInt8], from address: AdminAddress) throws(CommandFailure) {
    let parser = HeadParser(limits: HeadLimits())
    var head = ResponseHead()
    let outcome = bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { parser.parseResponse($0, buffer.count, into: &head) } ?? .incomplete
    }
    switch outcome {
    case .complete: break
    case .incomplete:
      throw AdminReply.notOurs(address, bytes.isEmpty ? "the connection was closed" : "the answer is cut off")
    case .refused: throw AdminReply.notOurs(address, "the answer is no HTTP")
    }
    status = head.status
    switch head.body(inResponseTo: .get) {
    case .none: body = []
    case .length(let length) where length == bytes.count - head.length: body = Array(bytes[head.length...])
    default: throw AdminReply.notOurs(address, "the answer is cut off")
    }
  }

  /// What listens there does not speak as the admin endpoint does.
  static func notOurs(_ address: AdminAddress, _ what: String) -> CommandFailure {
    CommandFailure(
      .unavailable, "no admin endpoint answers at \(address): \(what)",
      hint: "Does another program listen there? Compare admin.listen in the configuration with that of the proxy.")
  }
}
