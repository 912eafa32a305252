/// One operation of the admin endpoint: where it is, what it takes, what it answers, and what carries it out.
///
/// The router and the OpenAPI document are both made from the same list of these.
package struct AdminEndpoint: Sendable {
  package enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// One parameter in the query.
  package struct Parameter: Sendable {
    package var name: String
    package var description: String
    package var isRequired = false
    /// The values it may have; empty for free text.
    package var values: [String] = []
  }

  /// One answer beside the refusals that every operation shares.
  package struct Answer: Sendable {
    package var status: Int
    package var description: String
    /// The component schema of a JSON answer, or nil for plain text.
    package var schema: String?
  }

  package let path: String
  package let method: Method
  /// A stable name for generated clients.
  package let operationID: String
  package let summary: String
  package let parameters: [Parameter]
  /// The component schema of the body, for POST.
  package let requestSchema: String?
  /// A POST may come without a body.
  package let isBodyOptional: Bool
  package let answers: [Answer]
  let handler: @Sendable (Call) throws(AdminError) -> AdminAnswer

  /// Starts the work of an operation that answers later; what it is handed takes the answer.
  typealias Work = @Sendable (@escaping @Sendable (AdminResponse) -> Void) -> Void

  /// An operation that answers at once.
  init(
    path: String, method: Method, operationID: String, summary: String, parameters: [Parameter] = [],
    requestSchema: String? = nil, isBodyOptional: Bool = false, answers: [Answer],
    handler: @escaping @Sendable (Call) throws(AdminError) -> AdminResponse
  ) {
    self.path = path
    self.method = method
    self.operationID = operationID
    self.summary = summary
    self.parameters = parameters
    self.requestSchema = requestSchema
    self.isBodyOptional = isBodyOptional
    self.answers = answers
    self.handler = { (call) throws(AdminError) in .ready(try handler(call)) }
  }

  /// An operation that refuses at once what it does not understand, and else answers when its work is done.
  init(
    path: String, method: Method, operationID: String, summary: String, parameters: [Parameter] = [],
    requestSchema: String? = nil, isBodyOptional: Bool = false, answers: [Answer],
    deferred: @escaping @Sendable (Call) throws(AdminError) -> Work
  ) {
    self.path = path
    self.method = method
    self.operationID = operationID
    self.summary = summary
    self.parameters = parameters
    self.requestSchema = requestSchema
    self.isBodyOptional = isBodyOptional
    self.answers = answers
    self.handler = { (call) throws(AdminError) in .later(try deferred(call)) }
  }

  /// One call of an operation.
  struct Call: Sendable {
    var request: AdminRequest
    var query: QueryString
    var context: AdminContext
  }

  /// The values of the `Allow` field (RFC 9110, section 10.2.1).
  package var allow: String { method == .get ? "GET, HEAD" : "POST" }
}
