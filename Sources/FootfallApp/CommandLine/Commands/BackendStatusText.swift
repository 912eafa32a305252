import Effects

/// What `GET /status` says of the backends and of the delivery of events, for people.
enum BackendStatusText {
  static func rows(_ status: JSONValue) -> [(String, String)] {
    ahoy(status["ahoy"]) + cohorly(status["cohorly"]) + (status["pipeline"]?.array ?? []).flatMap(delivery)
  }

  private static func ahoy(_ ahoy: JSONValue?) -> [(String, String)] {
    guard let ahoy, ahoy.members != nil else { return [] }
    var text = ahoy["baseURL"]?.string ?? "?"
    if let visit = ahoy["visit"]?.string {
      text += ", visit \(visit) " + (ahoy["registered"] == true ? "registered" : "not registered yet")
      if let expiry = ahoy["expiresAt"]?.string { text += " (until \(expiry))" }
    } else {
      text += ", no visit"
    }
    if let visitor = ahoy["visitor"]?.string { text += ", visitor \(visitor)" }
    if let user = ahoy["userID"]?.string { text += ", user \(user)" }
    var rows = [("ahoy", text)]
    if let error = ahoy["lastError"]?.string { rows.append(("", "  \(error)")) }
    return rows
  }

  private static func cohorly(_ cohorly: JSONValue?) -> [(String, String)] {
    guard let cohorly, cohorly.members != nil else { return [] }
    func count(_ name: String) -> Int64 { cohorly[name]?.integer ?? 0 }
    var text = "\(cohorly["apiHost"]?.string ?? "?"), "
    text += (cohorly["anonymous"] == false ? "identified as " : "anonymous ") + (cohorly["distinctID"]?.string ?? "?")
    if cohorly["token"] == false { text += ", without a token" }
    var rows = [("cohorly", text)]
    if let flags = cohorly["flags"] {
      let number = QuantityText.counted(flags["count"]?.integer ?? 0, "flag")
      let moment = flags["evaluatedAt"]?.string.map { " (evaluated at \($0))" } ?? ""
      rows.append(("", "  \(number) from \(flags["source"]?.string ?? "?")\(moment)"))
    }
    if count("refusedOperations") > 0 {
      rows.append(("", "  \(QuantityText.counted(count("refusedOperations"), "change")) of profiles refused"))
    }
    if count("failedAliases") > 0 {
      rows.append(("", "  \(QuantityText.count(count("failedAliases"))) not tied to the identity before"))
    }
    if let error = cohorly["lastError"]?.string {
      let moment = cohorly["lastErrorAt"]?.string.map { " at \($0)" } ?? ""
      rows.append(("", "  last failure\(moment): \(error)"))
    }
    return rows
  }

  private static func delivery(_ delivery: JSONValue) -> [(String, String)] {
    func count(_ name: String) -> Int64 { delivery[name]?.integer ?? 0 }
    var text = "\(delivery["state"]?.string ?? "?"), \(QuantityText.count(count("depth"))) waiting"
    if let age = seconds(delivery["oldestAgeSeconds"]) {
      text += " (the oldest for \(QuantityText.span(seconds: age)))"
    }
    text += ", \(QuantityText.count(count("sent"))) sent"
    for (name, what) in [("retried", "retried"), ("dead", "dead"), ("dropped", "dropped")] where count(name) > 0 {
      text += ", \(QuantityText.count(count(name))) \(what)"
    }
    var rows = [("to \(delivery["backend"]?.string ?? "?")", text)]
    if let next = delivery["nextTryAt"]?.string { rows.append(("", "  next try at \(next)")) }
    if let error = delivery["lastError"]?.string {
      let moment = delivery["lastErrorAt"]?.string.map { " at \($0)" } ?? ""
      rows.append(("", "  last failure\(moment): \(error)"))
    }
    return rows
  }

  private static func seconds(_ value: JSONValue?) -> Double? {
    switch value {
    case .double(let number): number
    case .integer(let number): Double(number)
    default: nil
    }
  }
}
