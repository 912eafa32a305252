/// Where files are looked for when nobody names them: systemd's directories, then the XDG base directories, then those
/// of the system.
package struct ConfigurationPaths: Sendable, Hashable {
  /// The configuration files to try, the first that exists counts. Just one when `FOOTFALL_CONFIG` names it.
  package let configuration: [String]
  /// The directory of the databases, unless the configuration names one.
  package let stateDirectory: String

  /// The paths for an environment. Relative and empty directories in it do not count (XDG Base Directory
  /// Specification); an empty environment gives the paths of the system.
  package init(environment: [String: String]) {
    func directory(_ name: String) -> String? {
      guard let value = environment[name], value.utf8.first == UInt8(ascii: "/") else { return nil }
      // systemd.exec(5): several directories are separated by colons.
      return value.split(separator: ":").first.map(String.init)
    }
    let home = directory("HOME")
    if let named = environment["FOOTFALL_CONFIG"], !named.isEmpty {
      configuration = [named]
    } else {
      let user = directory("XDG_CONFIG_HOME") ?? home.map { "\($0)/.config" }
      configuration =
        [directory("CONFIGURATION_DIRECTORY"), user.map { "\($0)/footfall" }, "/etc/footfall"]
        .compactMap(\.self).map { "\($0)/config.json" }
    }
    let user = directory("XDG_STATE_HOME") ?? home.map { "\($0)/.local/state" }
    stateDirectory = directory("STATE_DIRECTORY") ?? user.map { "\($0)/footfall" } ?? "/var/lib/footfall"
  }
}
