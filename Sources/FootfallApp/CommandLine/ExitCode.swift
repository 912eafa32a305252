/// How the process ends; the numbers of sysexits.h, and grep's for `rules test`.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case ok = 0
  /// `rules test`: a URL matches no rule.
  case noMatch = 1
  /// The command line is wrong.
  case usage = 64
  /// Data that was read is not what it should be.
  case dataError = 65
  /// A file that was named does not exist or cannot be read.
  case noInput = 66
  /// The running proxy cannot be reached, or it cannot reach its backend.
  case unavailable = 69
  /// A fault of this program.
  case internalError = 70
  /// A file or directory cannot be created, or nothing can listen on an address.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Trying again later may help: an address in use, a store held by another process.
  case temporary = 75
  case permission = 77
  /// The configuration has errors.
  case configuration = 78

  /// What the code means, for the help texts.
  package var meaning: String {
    switch self {
    case .ok: "success"
    case .noMatch: "a URL matches no rule"
    case .usage: "wrong use of the command line"
    case .dataError: "data is not what it should be"
    case .noInput: "a file is missing or cannot be read"
    case .unavailable: "the running proxy or its backend cannot be reached"
    case .internalError: "a fault of this program"
    case .cannotCreate: "cannot create a file or listen on an address"
    case .inputOutput: "reading or writing failed"
    case .temporary: "in use by another process; try again later"
    case .permission: "permission denied"
    case .configuration: "the configuration has errors"
    }
  }
}
