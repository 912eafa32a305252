import RuleEngines
import Storage
import VisitorID

/// The library does not do what its documentation says.
enum Broken: Error { case promise }

// An id in a directory of its own, for one prefix: what a user of the library writes first.
var configuration = VisitorIDConfiguration()
configuration.header = "x-visitor-id"
configuration.addMatch(urlPrefix: "https://api.example.com/")
configuration.addMatch(regularExpression: "^https://[^/]+/v[12]/")
configuration.addMatch(handler: { url in url.host == "handled.example" })

let directory = CommandLine.arguments.dropFirst().first ?? "."
let visitor = VisitorID(
  configuration: configuration, store: try FileKeyValueStore(directory: directory), clock: SystemWallClock(),
  monotonicClock: SystemMonotonicClock(), tokens: SystemTokenSource(), patterns: PCRE2PatternEngine(),
  hostNames: IDNA2008HostNameEncoder())
let matching = ["https://api.example.com/a", "https://other.example/v1/", "https://handled.example/"]
let others = ["https://api.example.com.evil.example/", "http://api.example.com/", "https://other.example/v3/"]
guard visitor.state.isOn, let id = visitor.current(), visitor.isPersisted,
  matching.allSatisfy({ visitor.headers(for: $0)["x-visitor-id"] == id }),
  others.allSatisfy({ visitor.headers(for: $0).isEmpty })
else { throw Broken.promise }
print("embedder: \(id)")
