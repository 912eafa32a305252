import AdminAPI
import Glibc

extension FootfallCommandLine {
  /// Runs the command of this process's arguments and ends the process.
  package static func main() -> Never {
    // A reader of our output that has gone shows as a failed write, not as death by signal.
    signal(SIGPIPE, SIG_IGN)
    let environment = CommandEnvironment.process(versions: .ofThisBuild()) { file, environment, console in
      FootfallProxy.run(file, environment, console)
    }
    exit(run(environment).rawValue)
  }
}
