import Effects
import Foundation

/// A validator for the JSON Schema keywords that the configuration's schema uses; an unknown keyword is a mistake.
struct SchemaInterpreter {
  /// Annotations, which say nothing about validity.
  private static let annotations: Set<String> = ["$schema", "title", "description", "default", "examples"]

  /// The keywords that no branch below knows.
  private(set) var unknownKeywords: Set<String> = []

  mutating func accepts(_ value: JSONValue, _ schema: JSONValue) -> Bool {
    var isValid = true
    for keyword in schema.members ?? [] where !check(value, keyword.name, keyword.value, schema) { isValid = false }
    return isValid
  }

  private mutating func check(_ value: JSONValue, _ keyword: String, _ wanted: JSONValue, _ schema: JSONValue) -> Bool {
    switch keyword {
    case "type":
      return (wanted.array ?? [wanted]).contains { has(value, type: $0.string ?? "") }
    case "enum": return wanted.array?.contains(value) ?? false
    case "const": return wanted == value
    case "minimum": return number(value).map { $0 >= number(wanted) ?? .nan } ?? true
    case "maximum": return number(value).map { $0 <= number(wanted) ?? .nan } ?? true
    case "exclusiveMinimum": return number(value).map { $0 > number(wanted) ?? .nan } ?? true
    case "minLength": return value.string.map { $0.unicodeScalars.count >= wanted.integer ?? 0 } ?? true
    case "maxLength": return value.string.map { $0.unicodeScalars.count <= wanted.integer ?? 0 } ?? true
    case "pattern":
      return value.string.map { $0.range(of: wanted.string ?? "", options: .regularExpression) != nil } ?? true
    case "items": return (value.array ?? []).map { accepts($0, wanted) }.allSatisfy { $0 }
    case "minItems": return value.array.map { $0.count >= wanted.integer ?? 0 } ?? true
    case "maxItems": return value.array.map { $0.count <= wanted.integer ?? 0 } ?? true
    case "uniqueItems": return value.array.map { Set($0).count == $0.count } ?? true
    case "minProperties": return value.members.map { $0.count >= wanted.integer ?? 0 } ?? true
    case "maxProperties": return value.members.map { $0.count <= wanted.integer ?? 0 } ?? true
    case "required":
      return value.members == nil || (wanted.array ?? []).allSatisfy { value[$0.string ?? ""] != nil }
    case "properties":
      return (value.members ?? []).map { member in
        wanted[member.name].map { accepts(member.value, $0) } ?? true
      }.allSatisfy { $0 }
    case "additionalProperties":
      let others = (value.members ?? []).filter { schema["properties"]?[$0.name] == nil }
      return wanted == false ? others.isEmpty : others.map { accepts($0.value, wanted) }.allSatisfy { $0 }
    case "propertyNames": return (value.members ?? []).map { accepts(.string($0.name), wanted) }.allSatisfy { $0 }
    case "anyOf": return (wanted.array ?? []).map { accepts(value, $0) }.contains(true)
    case _ where Self.annotations.contains(keyword): return true
    default:
      unknownKeywords.insert(keyword)
      return false
    }
  }

  private func has(_ value: JSONValue, type: String) -> Bool {
    switch (type, value) {
    case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object),
      ("integer", .integer), ("number", .integer), ("number", .double):
      true
    case ("integer", .double(let number)): number == number.rounded()
    default: false
    }
  }

  private func number(_ value: JSONValue) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }
}
