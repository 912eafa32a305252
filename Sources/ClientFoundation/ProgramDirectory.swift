import Foundation

/// Where a program keeps the state of a library.
package enum ProgramDirectory {
  /// `$STATE_DIRECTORY/NAME`, else `PROGRAM/NAME` below `$XDG_STATE_HOME` or `~/.local/state`; nil where none of these is
  /// known.
  package static func path(
    of name: String, environment: [String: String] = ProcessInfo.processInfo.environment,
    program: String = ProcessInfo.processInfo.processName
  ) -> String? {
    func absolute(_ name: String) -> String? {
      environment[name].flatMap { $0.split(separator: ":").first.map(String.init) }.flatMap {
        $0.hasPrefix("/") ? $0 : nil
      }
    }
    if let directory = absolute("STATE_DIRECTORY") { return "\(directory)/\(name)" }
    let program = program.replacingOccurrences(of: "/", with: "-")
    if let directory = absolute("XDG_STATE_HOME") { return "\(directory)/\(program)/\(name)" }
    return absolute("HOME").map { "\($0)/.local/state/\(program)/\(name)" }
  }
}
