import Effects

/// The answer of `GET /status` for people. A member that is not there is left out, so that a newer or older proxy can
/// be asked as well.
enum StatusText {
  static func lines(_ status: JSONValue, _ console: Console) -> [String] {
    var rows: [(String, String)] = []
    rows.append(("state", state(status)))
    rows.append(("version", version(status["versions"])))
    rows += configuration(status["configuration"])
    rows += proxy(status["proxy"])
    rows += visitorID(status["visitorID"])
    rows += events(status["events"])
    rows += BackendStatusText.rows(status)
    let width = rows.map(\.0.count).max() ?? 0
    var lines = rows.map { label, text in
      let padding = String(repeating: " ", count: width - label.count)
      return (label.isEmpty ? "" : console.styled(label, .bold)) + padding + "  " + PrintableText.line(text)
    }
    if let rules = status["rules"]?.array, !rules.isEmpty {
      lines.append("")
      lines += ruleTable(rules)
    }
    return lines
  }

  private static func state(_ status: JSONValue) -> String {
    var text = status["phase"]?.string ?? "unknown"
    if let seconds = number(status["uptimeSeconds"]) { text += " for \(QuantityText.span(seconds: seconds))" }
    if let process = status["processID"]?.integer { text += " (process \(process))" }
    return text
  }

  private static func version(_ versions: JSONValue?) -> String {
    var text = versions?["footfall"]?.string ?? "unknown"
    if let commit = versions?["commit"]?.string, !commit.isEmpty { text += " (\(commit))" }
    return text
  }

  private static func configuration(_ configuration: JSONValue?) -> [(String, String)] {
    guard let configuration else { return [] }
    var text = configuration["path"]?.string ?? ""
    if let time = configuration["loadedAt"]?.string { text += " (read \(time))" }
    var rows = [("configuration", text)]
    if let reload = configuration["lastReload"], reload["succeeded"] == false {
      rows.append(("", "the reload at \(reload["at"]?.string ?? "?") failed, the old configuration is in force:"))
      rows += texts(reload["issues"]).map { ("", "  \($0)") }
    }
    return rows
  }

  private static func proxy(_ proxy: JSONValue?) -> [(String, String)] {
    guard let proxy else { return [] }
    func count(_ name: String) -> Int64 { proxy[name]?.integer ?? 0 }
    let sockets = [
      QuantityText.counted(count("workers"), "worker"), QuantityText.counted(count("clientConnections"), "client"),
      QuantityText.counted(count("upstreamConnections"), "upstream connection"),
      QuantityText.counted(count("tunnels"), "tunnel"),
    ]
    let traffic = [
      QuantityText.counted(count("requests"), "request"), "\(QuantityText.count(count("failed"))) failed",
      "\(QuantityText.bytes(count("bytesFromClients"))) from clients",
      "\(QuantityText.bytes(count("bytesToClients"))) to clients",
    ]
    return [
      ("proxy", "\(texts(proxy["listen"]).joined(separator: ", ")): \(sockets.joined(separator: ", "))"),
      ("traffic", traffic.joined(separator: ", ")),
    ]
  }

  private static func visitorID(_ visitor: JSONValue?) -> [(String, String)] {
    guard let visitor else { return [] }
    var text = visitor["state"]?.string ?? "unknown"
    if let header = visitor["header"]?.string, let id = visitor["id"]?.string { text += ", \(header): \(id)" }
    if let expiry = visitor["expiresAt"]?.string { text += " (until \(expiry))" }
    return [("visitor id", text)] + texts(visitor["reasons"]).map { ("", "  \($0)") }
  }

  private static func events(_ events: JSONValue?) -> [(String, String)] {
    guard let events, events.members != nil else { return [("events", "not recorded")] }
    func count(_ name: String) -> Int64 { events[name]?.integer ?? 0 }
    let text =
      "\(QuantityText.count(count("rows"))) stored in \(events["file"]?.string ?? "?") "
      + "(\(QuantityText.bytes(count("fileBytes")))), \(QuantityText.count(count("pending"))) waiting"
    var rows = [("events", text)]
    let dropped = count("droppedFull").addingReportingOverflow(count("droppedError")).partialValue
    if dropped > 0 { rows.append(("", "  \(QuantityText.count(dropped)) dropped")) }
    if count("damaged") > 0 { rows.append(("", "  \(QuantityText.count(count("damaged"))) damaged")) }
    if let error = events["lastError"]?.string {
      rows.append(("", "  \(events["isFailing"] == true ? "failing" : "last failure"): \(error)"))
    }
    return rows
  }

  private static func ruleTable(_ rules: [JSONValue]) -> [String] {
    var table = TextTable([("RULE", .left), ("MATCHED", .right), ("FAILED", .right), ("EFFECTS", .left)])
    for rule in rules {
      table.append([
        rule["name"]?.string ?? "?", QuantityText.count(rule["matched"]?.integer ?? 0),
        QuantityText.count(rule["failed"]?.integer ?? 0), ruleEffects(rule),
      ])
    }
    return table.lines
  }

  private static func ruleEffects(_ rule: JSONValue) -> String {
    var effects = texts(rule["effects"]).joined(separator: ", ")
    if let gate = rule["when"]?.string { effects += ", when \(gate)" }
    guard let reason = rule["reason"]?.string else { return effects }
    // What is left of a rule has conditions; one that is off has none.
    return (rule["matchers"]?.array ?? []).isEmpty ? "off: \(reason)" : "\(effects); a condition is off: \(reason)"
  }

  private static func texts(_ value: JSONValue?) -> [String] { (value?.array ?? []).compactMap(\.string) }

  private static func number(_ value: JSONValue?) -> Double? {
    switch value {
    case .double(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }
}
