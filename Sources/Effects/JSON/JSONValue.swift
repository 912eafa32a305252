/// A JSON value (RFC 8259) whose objects keep the order of their members.
public enum JSONValue: Sendable, Hashable {
  /// The literal `null`.
  case null
  /// A literal `true` or `false`.
  case bool(Bool)
  /// A number written without fraction or exponent that fits 64 bits.
  case integer(Int64)
  /// Any other finite number.
  case double(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object; members in order.
  case object([JSONMember])
}

/// One name and its value in a JSON object.
public struct JSONMember: Sendable, Hashable {
  /// The member's name.
  public var name: String
  /// The member's value.
  public var value: JSONValue

  /// A member with the given name and value.
  public init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral, ExpressibleByFloatLiteral
{
  /// A string value.
  public init(stringLiteral value: String) { self = .string(value) }
  /// An integer value.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A fractional number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// An array value.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// An object with its members in the order written.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { JSONMember($0.0, $0.1) })
  }
  /// The null value.
  public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
  /// The member of an object with that name; nil for other values and unknown names.
  public subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.name == name }?.value
  }

  /// The text of a string value.
  public var string: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  /// The number of an integer value.
  public var integer: Int64? {
    if case .integer(let number) = self { return number }
    return nil
  }

  /// The truth of a boolean value.
  public var bool: Bool? {
    if case .bool(let truth) = self { return truth }
    return nil
  }

  /// The elements of an array value.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { return elements }
    return nil
  }

  /// The members of an object value.
  public var members: [JSONMember]? {
    if case .object(let members) = self { return members }
    return nil
  }
}
