package import Effects

extension StatusReport {
  /// The answer of `GET /status`. Every member is always there; what is unknown or off is null.
  package func json(ids: IDDisclosure) -> JSONValue {
    .object([
      JSONMember("phase", .string(phase.rawValue)),
      JSONMember("processID", .integer(Int64(processID))),
      JSONMember("startedAt", StatusReport.time(startedAt)),
      JSONMember("uptimeSeconds", .double(uptimeSeconds)),
      JSONMember("versions", versions.json),
      JSONMember("configuration", configuration.json),
      JSONMember("proxy", traffic.json),
      JSONMember("visitorID", visitor.json(ids: ids)),
      JSONMember("rules", .array(rules.map(\.json))),
      JSONMember("events", events?.json ?? .null),
      JSONMember("ahoy", ahoy?.json(ids: ids) ?? .null),
      JSONMember("cohorly", cohorly?.json(ids: ids) ?? .null),
      JSONMember("pipeline", .array(deliveries.map(\.json))),
    ])
  }

  fileprivate static func time(_ milliseconds: Int64?) -> JSONValue {
    milliseconds.map { .string(Timestamp.text(millisecondsSinceEpoch: $0)) } ?? .null
  }

  fileprivate static func count(_ number: UInt64) -> JSONValue { .integer(Int64(clamping: number)) }

  fileprivate static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }

  fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}

extension StatusReport.Versions {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("footfall", .string(footfall)),
      JSONMember("commit", .string(commit)),
      JSONMember("swift", .string(swift)),
      JSONMember("libraries", .object(libraries.map { JSONMember($0.name, .string($0.version)) })),
    ])
  }
}

extension StatusReport.Configuration {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("path", .string(path)),
      JSONMember("hash", .string(hash)),
      JSONMember("loadedAt", StatusReport.time(loadedAt)),
      JSONMember("lastReload", lastReload?.json ?? .null),
    ])
  }
}

extension StatusReport.Configuration.Reload {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("at", StatusReport.time(at)),
      JSONMember("succeeded", .bool(succeeded)),
      JSONMember("issues", StatusReport.texts(issues)),
    ])
  }
}

extension StatusReport.Traffic {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("listen", StatusReport.texts(listen)),
      JSONMember("workers", .integer(Int64(workers))),
      JSONMember("clientConnections", .integer(clientConnections)),
      JSONMember("connectionLimit", .integer(connectionLimit)),
      JSONMember("upstreamConnections", .integer(upstreamConnections)),
      JSONMember("tunnels", .integer(tunnels)),
      JSONMember("requests", StatusReport.count(requests)),
      JSONMember("failed", StatusReport.count(failed)),
      JSONMember("bytesFromClients", StatusReport.count(bytesFromClients)),
      JSONMember("bytesToClients", StatusReport.count(bytesToClients)),
    ])
  }
}

extension StatusReport.Visitor {
  fileprivate func json(ids: IDDisclosure) -> JSONValue {
    .object([
      JSONMember("state", .string(state.rawValue)),
      JSONMember("reasons", StatusReport.texts(reasons)),
      JSONMember("header", StatusReport.text(header)),
      JSONMember("id", StatusReport.text(id.map(ids.text))),
      JSONMember("createdAt", StatusReport.time(createdAt)),
      JSONMember("expiresAt", StatusReport.time(expiresAt)),
      JSONMember("ttlHours", ttlHours.map { .double($0) } ?? .null),
    ])
  }
}

extension StatusReport.Rule {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("name", .string(name)),
      JSONMember("matchers", StatusReport.texts(matchers)),
      JSONMember("effects", StatusReport.texts(effects)),
      JSONMember("matched", StatusReport.count(matched)),
      JSONMember("failed", StatusReport.count(failed)),
      JSONMember("when", StatusReport.text(gate)),
      JSONMember("reason", StatusReport.text(reason)),
    ])
  }
}

extension StatusReport.Events {
  fileprivate var json: JSONValue {
    .object([
      JSONMember("file", .string(file)),
      JSONMember("committed", StatusReport.count(committed)),
      JSONMember("pending", StatusReport.count(pending)),
      JSONMember("droppedFull", StatusReport.count(droppedFull)),
      JSONMember("droppedError", StatusReport.count(droppedError)),
      JSONMember("damaged", StatusReport.count(damaged)),
      JSONMember("expired", StatusReport.count(expired)),
      JSONMember("quarantined", StatusReport.count(quarantined)),
      JSONMember("isFailing", .bool(isFailing)),
      JSONMember("rows", StatusReport.count(rows)),
      JSONMember("fileBytes", StatusReport.count(fileBytes)),
      JSONMember("lastError", StatusReport.text(lastError)),
    ])
  }
}
