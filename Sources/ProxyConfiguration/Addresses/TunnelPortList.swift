import Effects
import ProxyCore

extension ValueKind where Value == TunnelPorts {
  /// `"usual"`, `"any"`, or a list of ports and ranges of ports.
  static var tunnelPorts: Self {
    let list = ValueKind<[PortRange]>.list(.portRange, 1...256, of: "ports")
    let words: [(String, TunnelPorts)] = [("usual", .usual), ("any", .any)]
    let names = words.map(\.0)
    return Self(
      schema: [JSONMember("anyOf", [["enum": .array(names.map { .string($0) })], .object(list.schema)])]
    ) { node, context in
      switch node.kind {
      case .string(let text):
        if let word = words.first(where: { $0.0 == text }) { return word.1 }
        if case .success(let range) = PortRange.parse(text) {
          context.reportType(
            node, expected: "a list of ports",
            hint: "write [\(range.first == range.last ? "\(range.first)" : "\"\(range)\"")]")
        } else {
          context.report(
            .unknownChoice, at: node.position, "\(text.quoted) is not a choice",
            hint: Suggestion.closest(to: text, among: names).map { "did you mean \"\($0)\"?" }
              ?? "\"usual\", \"any\", or a list such as [443, \"8000-8999\"]")
        }
        return nil
      case .array: return list.read(node, &context).map { .only($0.map { $0.first...$0.last }) }
      default:
        context.reportType(
          node, expected: "\"usual\", \"any\" or a list of ports", hint: "such as [443, \"8000-8999\"]")
        return nil
      }
    } write: { value in
      switch value {
      case .usual: .string("usual")
      case .any: .string("any")
      case .only(let ranges):
        list.write(ranges.map { PortRange(first: $0.lowerBound, last: $0.upperBound) })
      }
    }
  }
}

/// A port, or those from one to another.
struct PortRange: Sendable, Hashable, CustomStringConvertible {
  var first: UInt16
  var last: UInt16

  var description: String { first == last ? "\(first)" : "\(first)-\(last)" }

  /// Why a text is no range of ports.
  struct Refusal: Error {
    var message: String
    var hint: String
  }

  /// Reads `8000-8999` or `443`.
  static func parse(_ text: String) -> Result<PortRange, Refusal> {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    var ports: [UInt16] = []
    for part in parts {
      guard (1...5).contains(part.utf8.count), part.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
        let port = UInt16(part), port > 0
      else {
        return .failure(
          Refusal(message: "\(text.quoted) is not a port or a range of ports", hint: "such as 443 or \"8000-8999\""))
      }
      ports.append(port)
    }
    guard let first = ports.first, let last = ports.last, first <= last else {
      return .failure(Refusal(message: "the range \(text.quoted) ends before it begins", hint: "swap the ports"))
    }
    return .success(PortRange(first: first, last: last))
  }
}

extension ValueKind where Value == PortRange {
  /// A number, or a text with one or two numbers.
  static var portRange: Self {
    let schema: JSONValue = [
      ["type": "integer", "minimum": 1, "maximum": 65535],
      ["type": "string", "pattern": "^[0-9]{1,5}(-[0-9]{1,5})?$"],
    ]
    let number = ValueKind<Int64>.integer(1...65535)
    return Self(schema: [JSONMember("anyOf", schema)]) { node, context in
      guard case .string(let text) = node.kind else {
        guard let port = number.read(node, &context).flatMap({ UInt16(exactly: $0) }) else { return nil }
        return PortRange(first: port, last: port)
      }
      switch PortRange.parse(text) {
      case .success(let range): return range
      case .failure(let refusal):
        context.report(.invalidPort, at: node.position, refusal.message, hint: refusal.hint)
        return nil
      }
    } write: { range in
      range.first == range.last ? .integer(Int64(range.first)) : .string(range.description)
    }
  }
}
