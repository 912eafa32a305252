/// The options and operands that were given to a command; names and numbers have been checked.
package struct ParsedArguments: Sendable, Hashable {
  /// The value of each option by its long name, in the order given; a flag's value is empty.
  package var options: [String: [String]] = [:]
  package var operands: [String] = []

  package init() {}

  package func has(_ option: CommandOption) -> Bool { options[option.long] != nil }

  /// All values given, in their order.
  package func values(of option: CommandOption) -> [String] { options[option.long] ?? [] }

  /// The last value given.
  package func value(of option: CommandOption) -> String? { options[option.long]?.last }
}
