import Effects
import HTTPWire
import OutboundHTTP
import TLSEngine
import TestKit

extension Property {
  /// The first eight bytes choose where the rest is cut; cut or whole, the same response of a backend is read, and no
  /// more of it than the limit.
  static let backendResponse = Property("backend-response") { bytes in
    guard bytes.count > 8 else { return }
    var random = SeededGenerator(seed: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    let message = Array(bytes.dropFirst(8))
    let limit = Int.random(in: 0...64, using: &random)
    for method in [Method.other, .head] {
      let whole = try readResponse([message], method, limit)
      if case .complete(let response, _) = whole {
        try require(response.body.count <= limit, "\(response.body.count) bytes of content, \(limit) allowed")
        try require((200...599).contains(response.status), "the status is \(response.status)")
        try require(method != .head || response.body.isEmpty, "content in the response to HEAD")
      }
      for pieces in [SplitFeeder.randomPieces(of: message, using: &random), message.map { [$0] }] {
        let cut = try readResponse(pieces, method, limit)
        try require(isSame(cut, whole), "in pieces \(cut), whole \(whole)")
      }
    }
  }

  /// Whatever a server says, without the keys no session comes about and no plaintext, and the fault is the same in any
  /// pieces.
  static let tls = Property("tls") { bytes in
    guard bytes.count > 8 else { return }
    var random = SeededGenerator(seed: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
    let message = Array(bytes.dropFirst(8))
    let whole = try answerTLS([message])
    for pieces in [SplitFeeder.randomPieces(of: message, using: &random), message.map { [$0] }] {
      let cut = try answerTLS(pieces)
      try require(cut == whole, "in pieces \(String(describing: cut)), whole \(String(describing: whole))")
    }
  }
}

private func readResponse(_ pieces: [[UInt8]], _ method: Method, _ limit: Int) throws -> ResponseReader.Progress {
  let parser = HeadParser()
  var reader = ResponseReader(method: method, bodyLimit: limit)
  for piece in pieces {
    let progress = try GuardedBytes.with(piece) { reader.take($0.start, $0.count, parser) }
    if progress != .more { return progress }
  }
  return reader.end()
}

/// Whether a connection is clean depends on what came with the end of the response, which the pieces decide.
private func isSame(_ one: ResponseReader.Progress, _ other: ResponseReader.Progress) -> Bool {
  if case .complete(let first, _) = one, case .complete(let second, _) = other { return first == second }
  return one == other
}

private let clientContext = Result { () throws(TLSFault) in
  try TLSContext(client: TLSTrust(usesSystemRoots: false))
}

/// What a client finds that gets these bytes in place of a server's.
private func answerTLS(_ pieces: [[UInt8]]) throws -> TLSFault.Code? {
  let session = try TLSSession(client: clientContext.get(), host: "backend.example")
  try session.start()
  var room = [UInt8](repeating: 0, count: 1024)
  for piece in pieces {
    let result = try GuardedBytes.with(piece) { guarded in
      room.withUnsafeMutableBufferPointer { room in
        room.baseAddress.map { session.receive(UnsafePointer(guarded.start), guarded.count, into: $0, room.count) }
      }
    }
    try require(result?.produced == 0, "plaintext without a session")
    try require(session.phase != .established, "a session without its keys")
    if let fault = result?.fault { return fault.code }
  }
  return nil
}
