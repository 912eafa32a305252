import Effects

extension ValueKind where Value == [JSONMember] {
  /// Properties that each event of Cohorly carries: an object of strings, numbers and booleans.
  static var superProperties: Self {
    .namedScalars(
      NamedScalars(
        pattern: SuperPropertyName.pattern, isName: SuperPropertyName.isName,
        nameHint: { name in
          name.utf8.first == UInt8(ascii: "$")
            ? "names with \"$\" are those of Cohorly" : "1 to 128 characters without control characters"
        }, reserved: SuperPropertyName.reserved, purpose: "properties of events", example: "{\"env\": \"ci\"}"))
  }
}

/// The name of a property that each event carries.
enum SuperPropertyName {
  /// The names with a dollar are those of Cohorly itself: `$lib`, `$insert_id`, `$feature/…`.
  static let pattern = "^[^$\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]{0,127}$"

  /// Names that an event has anyway, or that mean something else in it (contract: Cohorly, section 2.4).
  static let reserved = [
    "distinct_id": "it is that of the identity: `footfall identify` sets it", "time": "the proxy sets it itself",
    "token": "use \"tokenFile\"",
  ]

  static func isName(_ text: String) -> Bool {
    (1...128).contains(text.unicodeScalars.count) && text.utf8.first != UInt8(ascii: "$")
      && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
  }
}
