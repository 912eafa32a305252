import Effects
import EventPipeline
import Foundation
import Storage
import Synchronization
import Testing

/// What an outage costs, and how fast the queue drains after it. Prints; asserts nothing about time.
///
///     FOOTFALL_BENCH=1 swift test -c release -Xswiftc -enable-testing --filter DeliveryBenchmark
@Suite(.enabled(if: ProcessInfo.processInfo.environment["FOOTFALL_BENCH"] != nil)) struct DeliveryBenchmark {
  @Test func outageOfAMillionEvents() async throws {
    let directory = try TemporaryDirectory()
    let backend = CountingBackend()
    var options = DeliveryOptions()
    options.maximumBackoffMilliseconds = 50
    let world = try await PipelineWorld(directory.path, backend: backend, options: options, format: TenAtATime())
    backend.isUp.withLock { $0 = false }
    func record(_ count: Int) {
      for start in stride(from: 0, to: count, by: 500) {
        world.record((start..<(start + 500)).map { "01938e5c-0000-7000-8000-\($0)" }, bytes: 400)
      }
    }
    record(20_000)
    try await Task.sleep(for: .milliseconds(300))
    let before = residentKilobytes()
    record(1_000_000)
    let after = residentKilobytes()
    print("outage: RSS grew by \(after - before) KiB with \(await world.pipeline.status.depth) events queued")
    let clock = SystemMonotonicClock()
    backend.isUp.withLock { $0 = true }
    let start = clock.nanoseconds()
    _ = await world.deliverAll()
    let seconds = Double(clock.nanoseconds() - start) / 1e9
    let status = await world.pipeline.status
    print(
      "drain: \(Int(Double(status.sent) / seconds)) events/s, \(status.sent) events, RSS \(residentKilobytes() - before) KiB more"
    )
    await world.stop()
  }
}

private struct TenAtATime: DeliveryFormat {
  func cut(_ events: ArraySlice<QueuedEvent>) -> DeliveryCut {
    var body: [UInt8] = []
    for event in events.prefix(10) { body += event.payload }
    return .request(
      OutboundRequest(url: "http://backend.test/", body: body), indices: Array(0..<min(10, events.count)))
  }

  func judge(_ outcome: Result<OutboundResponse, TransportError>, attempt: Int, events: Int) -> DeliveryVerdict {
    if case .success = outcome { .delivered } else { .retry(afterMilliseconds: nil, reason: "down") }
  }
}

private final class CountingBackend: Transport {
  let isUp = Mutex(true)

  func send(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
    guard isUp.withLock({ $0 }) else { throw TransportError(.unreachable, "down") }
    return OutboundResponse(status: 200)
  }
}

private func residentKilobytes() -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
    let pages = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
  else { return 0 }
  return pages * 4
}
