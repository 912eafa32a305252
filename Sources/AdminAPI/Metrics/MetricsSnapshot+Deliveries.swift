extension MetricsSnapshot {
  /// The delivery of stored events to backends, and the visit of Ahoy.
  var deliveryFamilies: [MetricFamily] {
    var families: [MetricFamily] = []
    if let hasRegisteredVisit {
      families.append(
        MetricFamily(
          "footfall_ahoy_visit_registered", .gauge,
          help: "Whether the current visit is registered, so that its headers are injected (1), or not (0).",
          samples: [.init(.count(hasRegisteredVisit ? 1 : 0))]))
    }
    guard !deliveries.isEmpty else { return families }
    return families + [
      perBackend("footfall_queue_events", .gauge, "Stored events that wait for their delivery.") {
        UInt64(clamping: $0.depth)
      },
      MetricFamily(
        "footfall_queue_oldest_event_age_seconds", .gauge,
        help: "The age of the oldest event that waits for its delivery; 0 when none does.",
        samples: deliveries.map { .init(labels: [backend($0)], .measure($0.oldestAgeSeconds ?? 0)) }),
      perBackend("footfall_events_delivered_total", .counter, "Events that the backend took.") { $0.sent },
      perBackend(
        "footfall_events_retried_total", .counter, "Tries of events that came to nothing and are repeated."
      ) { $0.retried },
      perBackend(
        "footfall_events_undelivered_total", .counter,
        "Events that were deleted before their delivery, because of the limits of the store or because of damage."
      ) { $0.dropped },
      perBackend("footfall_events_dead_lettered_total", .counter, "Events that the backend will never take.") {
        $0.dead
      },
      perBackend("footfall_backend_requests_total", .counter, "Requests to the backend.") { $0.requests },
      perBackend("footfall_backend_requests_in_flight", .gauge, "Requests to the backend that are under way.") {
        UInt64(clamping: $0.inFlight)
      },
    ]
  }

  private func perBackend(
    _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ count: (StatusReport.Delivery) -> UInt64
  ) -> MetricFamily {
    MetricFamily(
      name, kind, help: help, samples: deliveries.map { .init(labels: [backend($0)], .count(count($0))) })
  }

  private func backend(_ delivery: StatusReport.Delivery) -> MetricFamily.Label {
    .init("backend", delivery.backend)
  }
}
