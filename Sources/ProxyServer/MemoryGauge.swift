import LoopRuntime

/// Whether the process holds more bytes for its peers than it may, as one worker sees it.
///
/// Short above the limit, until a quarter of it is free again.
struct MemoryGauge {
  /// What is read at once while memory is short: a connection whose peer takes nothing adds no more than this.
  static let smallestRead = 4096

  private(set) var isShort = false
  /// The most that is read at once now.
  private(set) var readLimit = Worker.largeRead
  private var reported = 0

  /// Looks again.
  ///
  /// - Parameters:
  ///   - held: bytes that this worker holds now.
  ///   - limit: of the process; nil for none.
  mutating func look(held: Int, limit: Int?, _ ledger: ProcessLedger) {
    guard let limit else {
      if reported != 0 { _ = ledger.hold(-reported) }
      self = MemoryGauge()
      return
    }
    let total = ledger.hold(held - reported)
    reported = held
    isShort = isShort ? total > limit / 4 * 3 : total > limit
    readLimit = isShort ? MemoryGauge.smallestRead : Worker.largeRead
  }
}
