/// Ways to cut a message in pieces, so that a reader can be shown to give one result for all of them.
public enum SplitFeeder {
  /// The message in one piece, in two at every position, and byte by byte.
  public static func pieces(of message: [UInt8]) -> [[[UInt8]]] {
    var ways: [[[UInt8]]] = [[message]]
    for cut in 1..<max(message.count, 1) {
      ways.append([Array(message[..<cut]), Array(message[cut...])])
    }
    ways.append(message.map { [$0] })
    return ways
  }

  /// The message cut at random positions.
  public static func randomPieces(of message: [UInt8], using random: inout some RandomNumberGenerator) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    while start < message.count {
      let length = min(Int.random(in: 1...9, using: &random), message.count - start)
      pieces.append(Array(message[start..<start + length]))
      start += length
    }
    return pieces
  }
}
