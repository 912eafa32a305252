import AdminAPI
import Glibc

extension FootfallCommandLine {
  /// Runs the command of this process's arguments and ends the process.
  package static func main() -> Never {
    // A reader of our output that has gone shows as a failed write, not as death by signal.
    signal(SIGPIPE, SIG_IGN)
    let environment = CommandEnvironment.process(versions: StatusReport.Versions()) { _, _, console in
      console.report(CommandFailure(.internalError, "this build has no proxy"))
      return .internalError
    }
    exit(run(environment).rawValue)
  }
}
