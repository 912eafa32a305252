/// A place in a text.
package struct JSONPosition: Sendable, Hashable, Comparable {
  private let offset32: UInt32
  private let line32: UInt32
  private let column32: UInt32

  /// A place given by its byte offset from 0, and its line and column from 1.
  package init(offset: Int, line: Int, column: Int) {
    offset32 = UInt32(clamping: offset)
    line32 = UInt32(clamping: line)
    column32 = UInt32(clamping: column)
  }

  /// The first byte of a text.
  package static let start = JSONPosition(offset: 0, line: 1, column: 1)

  /// Bytes before this place.
  package var offset: Int { Int(offset32) }
  /// The line, from 1; a line ends with LF.
  package var line: Int { Int(line32) }
  /// The column, from 1, in Unicode scalars; a tab counts as one.
  package var column: Int { Int(column32) }

  package static func < (one: JSONPosition, other: JSONPosition) -> Bool { one.offset32 < other.offset32 }
}

/// A JSON value that knows where in the text it was written.
package struct JSONNode: Sendable {
  /// What was written.
  package enum Kind: Sendable {
    case null
    case bool(Bool)
    /// A number without fraction or exponent that fits 64 bits.
    case integer(Int64)
    /// Any other number; always finite.
    case double(Double)
    case string(String)
    case array([JSONNode])
    /// The members in order, each name once: the first of duplicates.
    case object([Member])
    /// Something that is not JSON; it was reported, and nothing more should be said about it.
    case invalid
  }

  /// One name and its value.
  package struct Member: Sendable {
    /// The name with its escapes undone.
    package let name: String
    /// The place of the name's opening quote.
    package let namePosition: JSONPosition
    /// What the name stands for.
    package let node: JSONNode
  }

  /// What was written.
  package let kind: Kind
  /// The place of the first byte: the quote of a string, the bracket of a container.
  package let position: JSONPosition

  /// A value at a place.
  package init(kind: Kind, position: JSONPosition) {
    self.kind = kind
    self.position = position
  }

  /// The member of an object with exactly these name bytes; nil for other values.
  package func member(_ name: String) -> Member? {
    guard case .object(let members) = kind else { return nil }
    return members.first { $0.name.utf8.elementsEqual(name.utf8) }
  }

  /// The value without its positions; null where nothing valid was written.
  package var value: JSONValue {
    switch kind {
    case .null, .invalid: .null
    case .bool(let truth): .bool(truth)
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members): .object(members.map { JSONMember($0.name, $0.node.value) })
    }
  }
}

/// A JSON Pointer (RFC 6901): the way from the root of a document to a value.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
  /// One step down.
  package enum Step: Sendable, Hashable {
    /// To the member of that name.
    case name(String)
    /// To the element at that index, from 0.
    case index(Int)
  }

  /// The steps from the root.
  package var steps: [Step]

  /// The pointer with these steps; without any, the whole document.
  package init(_ steps: [Step] = []) { self.steps = steps }

  /// The pointer one step further down, to the member of that name.
  package func appending(_ name: String) -> JSONPointer { JSONPointer(steps + [.name(name)]) }

  /// The pointer one step further down, to the element at that index.
  package func appending(_ index: Int) -> JSONPointer { JSONPointer(steps + [.index(index)]) }

  /// The text form: empty for the whole document, else each step after a slash, with `~` and `/` escaped.
  package var description: String {
    var text = ""
    for step in steps {
      text += "/"
      switch step {
      case .index(let index): text += String(index)
      case .name(let name):
        for scalar in name.unicodeScalars {
          switch scalar {
          case "~": text += "~0"
          case "/": text += "~1"
          default: text.unicodeScalars.append(scalar)
          }
        }
      }
    }
    return text
  }
}
