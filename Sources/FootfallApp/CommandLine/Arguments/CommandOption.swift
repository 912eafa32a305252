/// One option of a command.
package struct CommandOption: Sendable, Hashable {
  /// Without the dashes.
  package var long: String
  /// Without the dash.
  package var short: Character?
  /// What the help calls the value; nil for a flag, which takes none.
  package var value: String?
  package var help: String

  package init(_ long: String, short: Character? = nil, value: String? = nil, _ help: String) {
    self.long = long
    self.short = short
    self.value = value
    self.help = help
  }

  /// As the help shows it: `-c, --config PATH`.
  package var synopsis: String {
    (short.map { "-\($0), " } ?? "    ") + "--\(long)" + (value.map { " \($0)" } ?? "")
  }

  package static let config = CommandOption(
    "config", short: "c", value: "PATH",
    "Configuration file. Default: $FOOTFALL_CONFIG, else the first of the user's and the system's that exists.")
  package static let noColor = CommandOption(
    "no-color", "Plain text, also on a terminal; so does the variable NO_COLOR.")
  package static let help = CommandOption("help", short: "h", "Show this help.")
  package static let json = CommandOption("json", short: "j", "Print JSON instead of text.")

  /// The options that every command takes.
  package static let everywhere = [config, noColor, help]
}
