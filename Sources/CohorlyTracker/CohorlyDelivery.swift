package import Effects
package import EventPipeline

/// What a queued event is to Cohorly.
package enum CohorlyReading: Sendable, Hashable {
  case record(CohorlyRecord)
  /// It is not for this server.
  case other
  /// It is not what this program writes.
  case unreadable(reason: String)

  /// What was stored as a record, and nothing else.
  package init(_ event: QueuedEvent) {
    do {
      self.init(try JSONReader().value(event.payload))
    } catch {
      self = .unreadable(reason: "not JSON: \(error)")
    }
  }

  /// The same of a payload that was read already.
  package init(_ stored: JSONValue) {
    do throws(CohorlyRecord.Unreadable) {
      self = try CohorlyRecord(stored: stored).map { .record($0) } ?? .other
    } catch {
      self = .unreadable(reason: error.reason)
    }
  }
}

/// Delivers queued records to a Cohorly server: runs of one path in each request, as many as it takes.
package struct CohorlyDelivery: DeliveryFormat {
  private let endpoint: CohorlyEndpoint
  private let read: @Sendable (QueuedEvent) -> CohorlyReading
  private let refused: @Sendable ([String]) -> Void

  /// - Parameters:
  ///   - read: what an event is to Cohorly; asked again at each try, and so cheap.
  ///   - refused: told what the server refused of a request that counts as delivered.
  package init(
    endpoint: CohorlyEndpoint, read: @escaping @Sendable (QueuedEvent) -> CohorlyReading = { CohorlyReading($0) },
    refused: @escaping @Sendable ([String]) -> Void = { _ in }
  ) {
    self.endpoint = endpoint
    self.read = read
    self.refused = refused
  }

  package func cut(_ events: ArraySlice<QueuedEvent>) -> DeliveryCut {
    var batch = CohorlyBatch()
    var indices: [Int] = []
    var skipped: [Int] = []
    scan: for (offset, event) in events.enumerated() {
      switch read(event) {
      // What lies between the records of a request stays, and comes first at the next cut.
      case .other: if indices.isEmpty { skipped.append(offset) }
      case .unreadable(let reason):
        guard indices.isEmpty else { continue }
        return skipped.isEmpty ? .undeliverable(offset, reason: reason) : .skip(skipped)
      case .record(let record):
        guard skipped.isEmpty else { return .skip(skipped) }
        switch batch.add(record, token: endpoint.token) {
        case .added: indices.append(offset)
        case .full: break scan
        case .tooLarge:
          return .undeliverable(offset, reason: "larger than the \(CohorlyLimits.bytes) bytes of a request")
        }
      }
    }
    guard let path = batch.path else { return skipped.isEmpty ? .wait : .skip(skipped) }
    let request = endpoint.request(path, records: batch.records)
    return path == .alias ? .once(request, indices: indices) : .request(request, indices: indices)
  }

  package func judge(
    _ outcome: Result<OutboundResponse, TransportError>, attempt: Int, events: Int
  ) -> DeliveryVerdict {
    if case .success(let response) = outcome {
      let refusals = CohorlyAnswer.refusals(response)
      if !refusals.isEmpty { refused(refusals) }
    }
    return CohorlyAnswer.judge(outcome)
  }
}

extension DeliveryOptions {
  /// Those of the contract, section 1.4: 2 s after the first failure, twice as long after each further one up to ten
  /// minutes, a fifth more or less; ten minutes after a 401; nothing is ever given up for failing often. Records keep
  /// their order.
  package static var cohorly: DeliveryOptions {
    var options = DeliveryOptions()
    options.flushIntervalMilliseconds = 5_000
    options.flushAt = 20
    options.maximumInFlight = 1
    // Room for several requests of the most records, so that one is cut full while more are read.
    options.windowRows = 4 * CohorlyLimits.records
    options.keepsOrder = true
    options.jitter = .around(percent: 20)
    options.backoffMilliseconds = 2_000
    options.maximumBackoffMilliseconds = 600_000
    options.slowRetryMilliseconds = 600_000
    options.maximumRetryAfterMilliseconds = 600_000
    options.flushWaitsForRetryAfter = false
    options.honoursRetryAfterZero = true
    options.maximumTries = .max
    // More is read when half is gone: that must not be the rest of a full request.
    options.windowRows = 4 * CohorlyLimits.records
    return options
  }
}
