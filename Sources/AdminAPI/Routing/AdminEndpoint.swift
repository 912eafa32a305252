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
  package var parameters: [Parameter] = []
  /// The component schema of the body, for POST.
  package var requestSchema: String?
  /// A POST may come without a body.
  package var isBodyOptional = false
  package let answers: [Answer]
  let handler: @Sendable (Call) throws(AdminError) -> AdminResponse

  /// One call of an operation.
  struct Call: Sendable {
    var request: AdminRequest
    var query: QueryString
    var context: AdminContext
  }

  /// The values of the `Allow` field (RFC 9110, section 10.2.1).
  package var allow: String { method == .get ? "GET, HEAD" : "POST" }
}
