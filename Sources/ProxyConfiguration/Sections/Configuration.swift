import Effects

/// What one configuration file says, checked: a value that is wrong is not in here.
///
/// The initial values are the defaults; each section documents its keys. A file is read by ``ConfigurationLoader``.
package struct Configuration: Sendable {
  package var proxy = Proxy()
  package var access = Access()
  package var upstream = Upstream()
  package var admin = Admin()
  package var state = State()
  package var visitorID = VisitorIDFeature.disabled
  /// Nil when the feature is off.
  package var ahoy: Ahoy?
  /// Nil when the feature is off.
  package var cohorly: Cohorly?
  package var pipeline = Pipeline()
  package var rules: [Rule] = []
  /// The rules with mistakes, in the order of the file.
  package var droppedRules: [DroppedRule] = []
  package var limits = Limits()
  package var timeouts = Timeouts()
  package var events = Events()
  package var log = Log()

  package init() {}

  /// Whether the visitor id is used (contract: Visitor ID, section 1.2).
  package enum VisitorIDFeature: Sendable {
    /// The section is absent or `null`.
    case disabled
    /// The section has mistakes, or no rule injects the id: nothing is injected, no id is made.
    case invalid(reasons: [ConfigurationIssue])
    /// The feature works; some rules were dropped for these reasons.
    case enabled(VisitorID, degraded: [ConfigurationIssue])
  }
}

/// The document as it is written: the sections, before it is known whether they fit each other.
struct ConfigurationDocument: ConfigurationSection {
  var schemaReference: String?
  var proxy = Configuration.Proxy()
  var access = Configuration.Access()
  var upstream = Configuration.Upstream()
  var admin = Configuration.Admin()
  var state = Configuration.State()
  var visitorID: Configuration.VisitorID?
  var ahoy: Configuration.Ahoy?
  var cohorly: Configuration.Cohorly?
  var pipeline = Configuration.Pipeline()
  var rules: [Configuration.RuleText] = []
  var limits = Configuration.Limits()
  var timeouts = Configuration.Timeouts()
  var events = Configuration.Events()
  var log = Configuration.Log()

  static let summary = "The configuration of Footfall, a forward proxy that adds a visitor id to chosen requests."

  /// The whole document; made once, as it holds the whole schema.
  static let kind = ValueKind<Self>.section

  static let laterKeys = ["rum", "interception", "handlers"]

  static let keys: [ConfigurationKey<Self>] = [
    ConfigurationKey(
      optional: "$schema", \.schemaReference, .anyText,
      "Where editors find the schema of this file; Footfall ignores it.",
      examples: ["./footfall.schema.json"]),
    ConfigurationKey("proxy", \.proxy, .section, Configuration.Proxy.summary, examples: []),
    ConfigurationKey("access", \.access, .section, Configuration.Access.summary, examples: []),
    ConfigurationKey("upstream", \.upstream, .section, Configuration.Upstream.summary, examples: []),
    ConfigurationKey("admin", \.admin, .section, Configuration.Admin.summary, examples: []),
    ConfigurationKey("state", \.state, .section, Configuration.State.summary, examples: []),
    ConfigurationKey(
      "visitorID", \.visitorID, .orNull(.section), Configuration.VisitorID.summary,
      examples: [["header": "x-visitor-id", "ttlHours": 24]]),
    ConfigurationKey(
      "ahoy", \.ahoy, .orNull(.section), Configuration.Ahoy.summary,
      examples: [["baseURL": "https://app.example.com", "visitParams": ["utm_source": "egress"]]]),
    ConfigurationKey(
      "cohorly", \.cohorly, .orNull(.section), Configuration.Cohorly.summary,
      examples: [["apiHost": "https://cohorly.example.com", "tokenFile": "cohorly.token"]]),
    ConfigurationKey("pipeline", \.pipeline, .section, Configuration.Pipeline.summary, examples: []),
    ConfigurationKey(
      required: "rules", \.rules, .rules,
      "Which requests get the injected headers, and which are recorded. The effects of all rules that match add up.",
      examples: [[["name": "api", "match": ["prefix": "http://api.example.com/"]]]]),
    ConfigurationKey("limits", \.limits, .section, Configuration.Limits.summary, examples: []),
    ConfigurationKey("timeouts", \.timeouts, .section, Configuration.Timeouts.summary, examples: []),
    ConfigurationKey("events", \.events, .section, Configuration.Events.summary, examples: []),
    ConfigurationKey("log", \.log, .section, Configuration.Log.summary, examples: []),
  ]
}
