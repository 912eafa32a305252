import AdminAPI
import Glibc

extension FootfallCommandLine {
  /// Runs the command of this process's arguments and ends the process.
  package static func main() -> Never {
    // A reader of our output that has gone shows as a failed write, not as death by signal.
    signal(SIGPIPE, SIG_IGN)
    endAtOnceWhenBroken()
    let environment = CommandEnvironment.process(versions: .ofThisBuild()) { file, environment, console in
      FootfallProxy.run(file, environment, console)
    }
    exit(run(environment).rawValue)
  }

  /// Leaves crashes to the system. The backtrace that Swift's runtime makes prints what registers point at, which may
  /// be an id or a password, and keeps a broken proxy around for seconds that its supervisor could use to start another.
  /// With `SWIFT_BACKTRACE` set, the operator wants it all the same.
  private static func endAtOnceWhenBroken() {
    guard getenv("SWIFT_BACKTRACE") == nil else { return }
    for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSEGV, SIGTRAP] { signal(number, SIG_DFL) }
  }
}
