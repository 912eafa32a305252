import CPCRE2
import Glibc
import URLRules

/// A compiled PCRE2 pattern.
///
/// `@unchecked Sendable`, because compiled code is only read after `init` (pcre2api(3), "Multithreading"), and all
/// that a search writes is in the `MatchScratch` of its thread.
final class PCRE2Pattern: CompiledPattern, @unchecked Sendable {
  private let code: OpaquePointer
  private let isJIT: Bool
  /// A match can only begin at the start of the subject.
  private let isAnchored: Bool
  /// A byte that every match contains, after or at its start.
  private let requiredByte: UInt8?
  private let budget: SearchBudget

  init(takingOwnership code: OpaquePointer, isJIT: Bool) {
    self.code = code
    self.isJIT = isJIT
    var options: UInt32 = 0
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_ALLOPTIONS), &options)
    isAnchored = options & PCRE2_ANCHORED != 0
    var kind: UInt32 = 0
    var byte: UInt32 = 0
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_LASTCODETYPE), &kind)
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_LASTCODEUNIT), &byte)
    // The other case of a letter would do as well when the pattern ignores case; that is not said here.
    let isLetter = (byte | 0x20) &- 0x61 < 26
    requiredByte = kind == 1 && byte < 0x80 && !isLetter ? UInt8(byte) : nil
    var backReferences: UInt32 = 0
    pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_BACKREFMAX), &backReferences)
    budget = SearchBudget(isJIT: isJIT, hasBackReferences: backReferences > 0)
  }

  /// Longer ones are mostly searched in slices.
  private static let longSubject = 512

  deinit { pcre2_code_free_8(code) }

  /// Searches in slices of start positions.
  ///
  /// PCRE2 counts its steps anew at each start position, so its own limit alone lets a search take that many steps
  /// for every byte of the subject, and a step can look at every byte again. Each slice therefore gets a share of the
  /// budget: first the whole subject with few steps per position, which is enough for nearly every search; when a
  /// slice runs out, smaller slices with more steps; and the thread's processor time ends it all.
  func search(_ subject: UnsafePointer<UInt8>, _ count: Int) -> PatternOutcome {
    guard let scratch = MatchScratch.ofThisThread() else { return .limitReached }
    let total = budget.steps(count)
    if isAnchored { return run(scratch, subject, count, 0, nil, total) }
    // PCRE2 looks for that byte too, but anew in each slice.
    if count > Self.longSubject, let requiredByte, memchr(subject, CInt(requiredByte), count) == nil { return .noMatch }
    var start = 0
    var width = min(count &+ 1, max(1, total / budget.leastSteps))
    var timer = SearchTimer()
    while true {
      let isLast = width > count &- start
      let result = run(
        scratch, subject, count, start, isLast ? nil : start &+ width &- 1, max(total / width, budget.leastSteps))
      switch result {
      case .match: return .match
      case .noMatch:
        if isLast { return .noMatch }
        start &+= width
        width = width &* 2
      case .limitReached:
        guard width > 1 else { return .limitReached }
        width = max(1, width / 8)
      }
      width = min(width, count &- start &+ 1, max(1, total / budget.leastSteps))
      if timer.isOverBudget() { return .limitReached }
    }
  }

  /// One search from a start position up to the last one allowed.
  private func run(
    _ scratch: MatchScratch, _ subject: UnsafePointer<UInt8>, _ count: Int, _ start: Int, _ lastStart: Int?,
    _ steps: Int
  ) -> PatternOutcome {
    scratch.setLimits(steps: UInt32(clamping: steps), lastStart: lastStart)
    let result =
      isJIT
      ? pcre2_jit_match_8(code, subject, count, start, 0, scratch.matchData, scratch.context)
      : pcre2_match_8(code, subject, count, start, PCRE2_NO_UTF_CHECK, scratch.matchData, scratch.context)
    if result >= 0 { return .match }
    // All else is a limit or a lack of memory: the question has no answer.
    return result == PCRE2_ERROR_NOMATCH ? .noMatch : .limitReached
  }
}

/// How much work a search may do. The figures bound it to a few hundred microseconds; see decision 0004.
private struct SearchBudget {
  private let mostSteps: Int
  private let bytesLookedAt: Int
  /// Fewer steps per start position than this would fail ordinary patterns.
  let leastSteps: Int

  init(isJIT: Bool, hasBackReferences: Bool) {
    mostSteps = isJIT ? 20_000 : 4_000
    // A step can look at the rest of the subject; a back-reference compares byte by byte.
    bytesLookedAt = (isJIT ? 4_000_000 : 800_000) / (hasBackReferences ? 8 : 1)
    leastSteps = 8
  }

  /// The steps for one slice of a subject of that length.
  @inline(__always)
  func steps(_ count: Int) -> Int { max(leastSteps, min(mostSteps, bytesLookedAt / max(1, count))) }
}

/// Ends a search that has taken too much of the thread's time.
///
/// Processor time, because waiting for the processor must not make a rule fail; read only when the wall clock says that
/// it may matter, because reading it is a system call.
private struct SearchTimer {
  private static let suspicion: UInt64 = 50_000
  private static let budget: UInt64 = 250_000

  private var startedAt: UInt64?
  private var processorTime: UInt64?

  mutating func isOverBudget() -> Bool {
    let now = read(CLOCK_MONOTONIC)
    guard let startedAt else {
      self.startedAt = now
      return false
    }
    guard now &- startedAt > Self.suspicion else { return false }
    let used = read(CLOCK_THREAD_CPUTIME_ID)
    guard let processorTime else {
      processorTime = used
      return false
    }
    return used &- processorTime > Self.budget
  }

  private func read(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }
}
