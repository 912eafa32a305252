package import Effects

/// What the answer to `POST /flags/evaluate` says (contract cohorly.md, sections 1.3 and 3.1).
package enum FlagAnswer: Sendable, Hashable {
  /// The flags of the identity that was asked for, all of them.
  case evaluated(EvaluatedFlags)
  /// Anything else: what is known stays as it is.
  case failed(reason: String)

  /// Reads the outcome of a request.
  package static func parse(_ outcome: Result<OutboundResponse, TransportError>) -> FlagAnswer {
    switch outcome {
    case .success(let response): parse(status: response.status, body: response.body)
    case .failure(let error): .failed(reason: "\(error)")
    }
  }

  /// Reads an answer.
  package static func parse(status: Int, body: [UInt8]) -> FlagAnswer {
    guard (200..<300).contains(status) else {
      return .failed(reason: "status \(status)\(error(in: body))")
    }
    let value: JSONValue
    do { value = try JSONReader(subject: "the answer").value(body) } catch {
      return .failed(reason: "status \(status), but no JSON: \(FlagFault.printable(error.message))")
    }
    do { return .evaluated(try EvaluatedFlags(value["flags"])) } catch {
      return .failed(reason: "status \(status), but \(error.reason)")
    }
  }

  /// The server's own word for what is wrong, where it has one.
  private static func error(in body: [UInt8]) -> String {
    do {
      guard let text = try JSONReader().value(body)["error"]?.string else { return "" }
      return ": \(FlagFault.printable(text))"
    } catch { return "" }
  }
}
