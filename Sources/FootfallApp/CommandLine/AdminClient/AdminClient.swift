import AdminAPI
package import Effects
package import ProxyConfiguration

/// Asks a running proxy through its admin endpoint: one request, one connection, blocking, with a deadline.
///
/// It goes to the endpoint directly: proxy variables of the environment mean nothing to it.
package struct AdminClient: Sendable {
  private let address: AdminAddress
  private let token: String?
  private let deadlineMilliseconds: Int

  package init(address: AdminAddress, token: String?, deadlineMilliseconds: Int = 10_000) {
    self.address = address
    self.token = token
    self.deadlineMilliseconds = deadlineMilliseconds
  }

  /// The client for the endpoint that the command line or the environment names, else for that of the configuration.
  ///
  /// - Parameter deadlineMilliseconds: how long an answer may take.
  package init(_ invocation: Invocation, deadlineMilliseconds: Int = 10_000) throws(CommandFailure) {
    let console = invocation.console
    let named: AdminAddress?
    var token: String?
    if let (address, issues) = ConfigurationFile.overrides(invocation).adminEndpoint() {
      for issue in issues { console.note(issue.description) }
      guard issues.isEmpty else { throw CommandFailure(.usage, "the address of the admin endpoint is wrong") }
      named = address
      token = AdminClient.tokenIfReadable(invocation)
    } else {
      let admin = try ConfigurationFile(invocation).usable(console).admin
      named = admin.listen
      token = try AdminToken.read(admin.tokenFile, invocation.environment.readFile, console)
    }
    guard let address = named else {
      throw CommandFailure(
        .configuration, "the configuration has no admin endpoint", hint: "Set admin.listen, and restart the proxy.")
    }
    if case .tcp(let endpoint) = address, endpoint.port == 0 {
      throw CommandFailure(
        .configuration, "admin.listen has the port 0, so nobody knows where the endpoint is",
        hint: "Name the port with --admin-listen, or set a fixed one.")
    }
    self.init(address: address, token: token, deadlineMilliseconds: deadlineMilliseconds)
  }

  /// The token that goes with an address given by hand: the configuration may be of another proxy, broken or not there,
  /// and the endpoint says itself when it wants a token.
  private static func tokenIfReadable(_ invocation: Invocation) -> String? {
    do throws(CommandFailure) {
      let path = try ConfigurationFile(invocation).loaded.admin?.tokenFile
      return try AdminToken.read(path, invocation.environment.readFile, invocation.console)
    } catch {
      if invocation.arguments.value(of: .config) != nil, let message = error.message {
        invocation.console.note("note: no token is sent: \(PrintableText.line(message))")
      }
      return nil
    }
  }

  /// The value of the `Host` field, as the endpoint's guard expects it.
  private var hostField: String {
    switch address {
    case .tcp(let endpoint) where endpoint.address.isUnspecified: "localhost:\(endpoint.port)"
    case .tcp(let endpoint): endpoint.description
    case .unix: "localhost"
    }
  }

  /// The JSON answer to a GET.
  package func get(_ target: String) throws(CommandFailure) -> JSONValue {
    try exchange(method: "GET", target: target, body: nil)
  }

  /// The JSON answer to a POST.
  package func post(_ target: String, _ body: JSONValue) throws(CommandFailure) -> JSONValue {
    try exchange(method: "POST", target: target, body: JSONWriter.text(body))
  }

  private func exchange(method: String, target: String, body: String?) throws(CommandFailure) -> JSONValue {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: \(hostField)\r\nAccept: application/json\r\n"
    text += "Connection: close\r\n"
    if let token { text += "Authorization: Bearer \(token)\r\n" }
    if let body { text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
    text += "\r\n" + (body ?? "")
    let connection = try AdminConnection.open(address, deadlineMilliseconds: deadlineMilliseconds)
    try connection.send(Array(text.utf8))
    let reply = try AdminReply(connection.receiveAll(), from: address)
    let value: JSONValue
    do {
      value = try JSONReader().value(reply.body)
    } catch {
      throw AdminReply.notOurs(address, "the answer is no JSON")
    }
    guard reply.status == 200 || reply.status == 202 else {
      throw AdminClient.failure(status: reply.status, value, address)
    }
    return value
  }

  /// What a refusal means for the command.
  private static func failure(status: Int, _ answer: JSONValue, _ address: AdminAddress) -> CommandFailure {
    guard let error = answer["error"], let message = error["message"]?.string else {
      return AdminReply.notOurs(address, "status \(status)")
    }
    let code: ExitCode =
      switch status {
      case 400: .dataError
      case 401, 403: .permission
      case 409 where error["code"]?.string?.hasSuffix("Configured") == true: .configuration
      case 409, 503, 504: .temporary
      case 422: .configuration
      case 502: .unavailable
      case 500: .inputOutput
      default: .internalError
      }
    let issues = (error["issues"]?.array ?? []).compactMap(\.string)
    return CommandFailure(code, message, hint: error["hint"]?.string, details: issues)
  }
}
