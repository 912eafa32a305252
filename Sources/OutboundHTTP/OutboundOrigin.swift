import LoopRuntime
import ProxyCore

/// One origin: its idle connections, how many it has in all, and who waits for one; on the loop's thread.
final class OutboundOrigin {
  let authority: OutboundAuthority
  private let limit: Int
  /// Connections and attempts to make one.
  private var open = 0
  /// The one that was used last is the last.
  private var idle: [OutboundConnection] = []
  private var line = WaitingLine<OutboundExchange>()
  private var isServing = false

  init(_ authority: OutboundAuthority, limit: Int) {
    self.authority = authority
    self.limit = max(limit, 1)
  }

  /// Nothing is kept here that another origin of the same authority would not have.
  var isUnused: Bool { open == 0 && line.isEmpty }

  /// How many connections lie idle.
  var idleCount: Int { idle.count }

  /// Gets in line; the exchange is told when it is its turn, perhaps at once. The ticket is for leaving.
  func join(_ exchange: OutboundExchange) -> Int { line.join(exchange) }

  func leave(_ ticket: Int) { line.leave(ticket) }

  /// Serves those who wait, as long as there is a connection or room for one.
  func serve() {
    // Who is served may fail at once and make room again; that is seen here, and not one call deeper each time.
    guard !isServing else { return }
    isServing = true
    defer { isServing = false }
    while !line.isEmpty {
      if let connection = takeIdle() {
        line.removeFirst()?.use(connection)
      } else if open < limit {
        open += 1
        line.removeFirst()?.dial()
      } else {
        return
      }
    }
  }

  /// A connection or an attempt at one has ended.
  func release() {
    open -= 1
    serve()
  }

  /// Keeps the connection for the next request; false when there are enough.
  func keep(_ connection: OutboundConnection, limit: Int) -> Bool {
    guard idle.count < limit || !line.isEmpty else { return false }
    idle.append(connection)
    return true
  }

  /// The connection is not idle any more.
  func remove(_ connection: OutboundConnection) { idle.removeAll { $0 === connection } }

  /// The connection that was used last, because it is the least likely to be closed by its peer.
  private func takeIdle() -> OutboundConnection? {
    while let connection = idle.popLast() {
      if connection.isUsable { return connection }
      connection.close()
    }
    return nil
  }

  /// Closes what is idle.
  func closeIdle() {
    for connection in idle { connection.close() }
  }
}
