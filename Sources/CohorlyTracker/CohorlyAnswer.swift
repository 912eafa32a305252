package import Effects
package import EventPipeline

/// Reads answers of the server (contract, section 1.4).
package enum CohorlyAnswer {
  /// What the outcome of a request means for its records.
  package static func judge(_ outcome: Result<OutboundResponse, TransportError>) -> DeliveryVerdict {
    switch outcome {
    case .success(let response): judge(response)
    case .failure(let error):
      switch error.code {
      // What the operator has written down is wrong, or whom it names is not who answers.
      case .invalidRequest, .untrusted: .misconfigured(reason: "\(error)")
      case .unresolved, .unreachable, .timedOut, .interrupted, .malformedResponse, .cancelled:
        .retry(afterMilliseconds: nil, reason: "\(error)")
      }
    }
  }

  private static func judge(_ response: OutboundResponse) -> DeliveryVerdict {
    switch response.status {
    case 200..<300: .delivered
    case 400: .dead(reason: response.summary)
    case 401: .misconfigured(reason: response.summary)
    case 413: .tooLarge(reason: response.summary)
    // Whatever else it is, the records are kept: the family's clients do. A `Retry-After` is found by the machine.
    default: .retry(afterMilliseconds: nil, reason: response.summary)
    }
  }

  /// What a server that took a request refused of it, one line for each operation: the rest is applied, and nothing must
  /// be sent again (contract, section 1.3, `/engage`).
  package static func refusals(_ response: OutboundResponse) -> [String] {
    guard (200..<300).contains(response.status) else { return [] }
    let value: JSONValue
    // The body of a success is of no other interest.
    do { value = try JSONReader().value(response.body) } catch { return [] }
    guard value["status"]?.integer == 0 else { return [] }
    let error = value["error"]?.string.map { ": \(OutboundResponse.printable($0.utf8))" } ?? ""
    let refused = value["refused"]?.array ?? []
    guard !refused.isEmpty else { return ["the server reports a failure\(error)"] }
    return refused.map { operation in
      let verb = operation["op"]?.string.map { OutboundResponse.printable($0.utf8) } ?? "an operation"
      return "\(verb) refused\(error)"
    }
  }
}
