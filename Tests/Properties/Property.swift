/// A promise about code that reads bytes of strangers: it must hold for every input.
///
/// The fuzzer looks for an input that breaks one; an ordinary test replays the seeds through the same functions.
package struct Property: Sendable {
  /// What `Scripts/fuzz` and the folder of seeds call it.
  package let name: String
  /// Throws a `Violation` when the promise does not hold for the bytes.
  package let check: @Sendable ([UInt8]) throws -> Void

  init(_ name: String, _ check: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.name = name
    self.check = check
  }

  /// All of them.
  package static let all: [Property] = [
    .requestHead, .responseHead, .chunked, .segmentation, .url, .rules, .configuration, .adminRequest, .eventDatabase,
    .stateDatabase, .backendResponse, .tls,
  ]

  /// The one of that name.
  package static func named(_ name: String) -> Property? { all.first { $0.name == name } }
}

/// A promise that was broken, in words.
package struct Violation: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Throws unless the condition holds.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) throws {
  if !condition { throw Violation(promise()) }
}

/// The bytes as a Swift string literal would show them, so that a violation can be read.
func shown(_ bytes: some Sequence<UInt8>) -> String {
  var text = ""
  for byte in bytes {
    switch byte {
    case 0x0d: text += "\\r"
    case 0x0a: text += "\\n"
    case 0x20...0x7e: text.unicodeScalars.append(Unicode.Scalar(byte))
    default: text += "\\x" + String(byte, radix: 16)
    }
  }
  return "\"\(text)\""
}
