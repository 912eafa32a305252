/// How long and how much the admin endpoint grants its clients.
package struct AdminServerOptions: Sendable, Hashable {
  /// Open connections; one more replaces the one that has kept the endpoint waiting longest.
  package var maximumConnections = 64
  /// For a request from its first byte to its last, milliseconds.
  package var requestDeadline = 10_000
  /// For an answer that comes later, milliseconds.
  package var workDeadline = 60_000
  /// For the next request on an open connection, milliseconds.
  package var idleDeadline = 60_000
  /// For taking an answer, milliseconds.
  package var answerDeadline = 10_000

  package init() {}
}
