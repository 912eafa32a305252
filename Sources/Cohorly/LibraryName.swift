import Effects
import Foundation

/// What events say of the library that made them, and of what it runs on.
enum LibraryName {
  static let lib = "footfall-swift"
  static let version = "0.1.0"

  static let automatic: [JSONMember] = {
    let system = ProcessInfo.processInfo.operatingSystemVersion
    return [
      JSONMember("$lib", .string(lib)), JSONMember("$lib_version", .string(version)), JSONMember("$os", "Linux"),
      JSONMember(
        "$os_version", .string("\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)")),
    ]
  }()
}
