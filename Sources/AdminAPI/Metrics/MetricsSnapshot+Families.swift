extension MetricsSnapshot {
  /// The metrics under their public names: prefix `footfall_`, base units, `_total` for counters.
  package var families: [MetricFamily] {
    about + trafficFamilies + ruleFamilies + eventFamilies + deliveryFamilies + flagFamilies + processFamilies
  }

  private typealias Label = MetricFamily.Label
  private typealias Sample = MetricFamily.Sample

  private var about: [MetricFamily] {
    let libraries = versions.libraries.map { Label(MetricsSnapshot.labelName($0.name), $0.version) }
    let build =
      [Label("version", versions.footfall), Label("commit", versions.commit), Label("swift", versions.swift)]
      + libraries
    return [
      MetricFamily(
        "footfall_build_info", .gauge, help: "What the running binary was built from; always 1.",
        samples: [Sample(labels: build, .count(1))]),
      MetricFamily(
        "footfall_ready", .gauge, help: "Whether the proxy accepts traffic (1) or not (0).",
        samples: [Sample(.count(isReady ? 1 : 0))]),
      MetricFamily(
        "footfall_config_hash_info", .gauge, help: "Digest of the configuration in force; always 1.",
        samples: [Sample(labels: [Label("hash", configurationHash)], .count(1))]),
      MetricFamily(
        "footfall_config_last_reload_successful", .gauge,
        help: "Whether the last attempt to read the configuration succeeded (1) or not (0).",
        samples: [Sample(.count(lastReloadSucceeded ? 1 : 0))]),
      MetricFamily(
        "footfall_config_last_reload_success_timestamp_seconds", .gauge,
        help: "When the configuration in force was read.",
        samples: [Sample(.measure(Double(configurationLoadedAt) / 1000))]),
    ]
  }

  private var trafficFamilies: [MetricFamily] {
    var families = [
      MetricFamily(
        "footfall_requests_total", .counter,
        help: "Finished exchanges by what the proxy did and the class of the status sent to the client.",
        samples: requests.map { request in
          Sample(
            labels: [Label("mode", request.mode), Label("code", MetricsSnapshot.statusClass(request.statusClass))],
            .count(request.count))
        })
    ]
    if let requestDuration {
      families.append(
        MetricFamily(
          "footfall_request_duration_seconds", .histogram,
          help: "Time from the complete request head to the last byte of the response.",
          samples: requestDuration.samples))
    }
    families += [
      MetricsSnapshot.counter(
        "footfall_errors_total", "Exchanges that failed, by the stable code of the proxy error.", "code", errors),
      MetricFamily(
        "footfall_connections", .gauge, help: "Open connections by side.",
        samples: [
          Sample(labels: [Label("side", "client")], .count(clientConnections)),
          Sample(labels: [Label("side", "upstream")], .count(upstreamConnections)),
        ]),
      MetricFamily(
        "footfall_tunnels", .gauge, help: "Open CONNECT tunnels.", samples: [Sample(.count(tunnels))]),
      MetricFamily(
        "footfall_bytes_total", .counter, help: "Bytes exchanged with clients by direction.",
        samples: [
          Sample(labels: [Label("direction", "from_client")], .count(bytesFromClients)),
          Sample(labels: [Label("direction", "to_client")], .count(bytesToClients)),
        ]),
      MetricFamily(
        "footfall_client_connections_accepted_total", .counter, help: "Client connections accepted.",
        samples: [Sample(.count(connectionsAccepted))]),
      MetricFamily(
        "footfall_upstream_connections_opened_total", .counter, help: "Upstream connections opened.",
        samples: [Sample(.count(upstreamConnectionsOpened))]),
      MetricFamily(
        "footfall_upstream_connections_reused_total", .counter,
        help: "Requests that travelled on an upstream connection kept open from an earlier one.",
        samples: [Sample(.count(upstreamConnectionsReused))]),
    ]
    return families
  }

  private var ruleFamilies: [MetricFamily] {
    [
      MetricFamily(
        "footfall_rule_evaluations_total", .counter,
        help: "Requests per rule: those it matched, and those whose evaluation ended at a limit or with an error.",
        samples: rules.flatMap { rule in
          [
            Sample(labels: [Label("rule", rule.rule), Label("result", "match")], .count(rule.matched)),
            Sample(labels: [Label("rule", rule.rule), Label("result", "error")], .count(rule.failed)),
          ]
        }),
      MetricsSnapshot.counter(
        "footfall_headers_injected_total", "Requests into which the header was injected.", "header", injected),
    ]
  }

  private var eventFamilies: [MetricFamily] {
    guard let events else { return [] }
    return [
      MetricFamily(
        "footfall_events_stored_total", .counter, help: "Events committed to the store since the start.",
        samples: [Sample(.count(events.committed))]),
      MetricFamily(
        "footfall_events_dropped_total", .counter, help: "Events not stored, by reason.",
        samples: [
          Sample(labels: [Label("reason", "full")], .count(events.droppedFull)),
          Sample(labels: [Label("reason", "error")], .count(events.droppedError)),
        ]),
      MetricFamily(
        "footfall_events_damaged_total", .counter, help: "Stored events whose checksum did not hold.",
        samples: [Sample(.count(events.damaged))]),
      MetricFamily(
        "footfall_events_expired_total", .counter, help: "Events deleted because of the retention limits.",
        samples: [Sample(.count(events.expired))]),
      MetricFamily(
        "footfall_event_store_quarantined_total", .counter, help: "Damaged store files that were moved aside.",
        samples: [Sample(.count(events.quarantined))]),
      MetricFamily(
        "footfall_event_store_failing", .gauge, help: "Whether the last attempt to write failed (1) or not (0).",
        samples: [Sample(.count(events.isFailing ? 1 : 0))]),
      MetricFamily(
        "footfall_events_pending", .gauge, help: "Events that wait to be committed.",
        samples: [Sample(.count(events.pending))]),
      MetricFamily(
        "footfall_event_store_events", .gauge, help: "Events in the store.", samples: [Sample(.count(events.rows))]),
      MetricFamily(
        "footfall_event_store_size_bytes", .gauge, help: "Size of the store's files.",
        samples: [Sample(.count(events.fileBytes))]),
    ]
  }

  private var processFamilies: [MetricFamily] {
    guard let process else { return [] }
    return [
      MetricFamily(
        "process_start_time_seconds", .gauge, help: "When the process started, since the epoch.",
        samples: [Sample(.measure(process.startTimeSeconds))]),
      MetricFamily(
        "process_cpu_seconds_total", .counter, help: "CPU time of the process, user and system.",
        samples: [Sample(.measure(process.cpuSeconds))]),
      MetricFamily(
        "process_resident_memory_bytes", .gauge, help: "Resident memory of the process.",
        samples: [Sample(.count(process.residentBytes))]),
      MetricFamily(
        "process_open_fds", .gauge, help: "Open file descriptors.",
        samples: [Sample(.count(process.openDescriptors))]),
      MetricFamily(
        "process_max_fds", .gauge, help: "Limit of open file descriptors.",
        samples: [Sample(.count(process.maximumDescriptors))]),
    ]
  }

  private static func counter(_ name: String, _ help: String, _ label: String, _ counts: [NamedCount])
    -> MetricFamily
  {
    MetricFamily(
      name, .counter, help: help,
      samples: counts.map { Sample(labels: [Label(label, $0.name)], .count($0.count)) })
  }

  private static func statusClass(_ digit: Int) -> String {
    (1...5).contains(digit) ? "\(digit)xx" : "none"
  }

  /// A library's name as a label name, which knows letters, digits and underscores only.
  private static func labelName(_ text: String) -> String {
    let name = text.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    return (name.first?.isNumber ?? true ? "_" : "") + String(name)
  }
}

extension MetricsSnapshot.Histogram {
  /// The buckets added up from below, the sum and the count.
  fileprivate var samples: [MetricFamily.Sample] {
    var samples: [MetricFamily.Sample] = []
    var total: UInt64 = 0
    for (index, count) in counts.enumerated() where index <= bounds.count {
      total = total.addingReportingOverflow(count).partialValue
      let bound = index < bounds.count ? bounds[index] : Double.infinity
      samples.append(
        .init(suffix: "_bucket", labels: [.init("le", PrometheusText.number(.measure(bound)))], .count(total)))
    }
    samples.append(.init(suffix: "_sum", .measure(sum)))
    samples.append(.init(suffix: "_count", .count(total)))
    return samples
  }
}
