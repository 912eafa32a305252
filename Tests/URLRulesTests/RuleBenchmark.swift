import Foundation
import HTTPWire
import RuleEngines
import Testing

@testable import URLRules

/// Prints what verdicts cost; asserts nothing about time. Runs with `FOOTFALL_BENCH=1`:
/// `FOOTFALL_BENCH=1 swift test -c release -Xswiftc -enable-testing --filter RuleBenchmark`
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["FOOTFALL_BENCH"] == "1"))
struct RuleBenchmark {
  /// This thread's processor time in nanoseconds: other work on the machine must not count.
  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }

  /// Nanoseconds per verdict, the best of several rounds, cycling through the URLs.
  private func measure(_ compiled: CompiledRules, _ urls: [String], rounds: Int = 9, verdicts: Int = 100_000) throws
    -> (ns: Double, hits: Int)
  {
    let subjects = try urls.map { try CanonicalText.read(Array($0.utf8), fragment: .refuse).get() }
    let buffers = subjects.map { text in
      let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: text.bytes.count)
      copy.update(from: text.bytes, count: text.bytes.count)
      return (UnsafePointer(copy), text.url)
    }
    defer { for (pointer, _) in buffers { pointer.deallocate() } }
    var hits = 0
    var results: [Double] = []
    for _ in 0..<rounds {
      let iterations = max(verdicts / max(1, buffers.count), 1)
      let start = Self.now()
      for _ in 0..<iterations {
        for (pointer, url) in buffers where compiled.rules.verdict(pointer, url).isMatch { hits &+= 1 }
      }
      results.append((Self.now() - start) / Double(iterations * buffers.count))
    }
    return (results.min() ?? 0, hits)
  }

  private func report(_ name: String, _ result: (ns: Double, hits: Int)) {
    let padded = name.padding(toLength: 56, withPad: " ", startingAt: 0)
    print(padded, String(format: "%9.1f", result.ns), "ns", result.hits > 0 ? "(hit)" : "(miss)")
    fflush(nil)
  }

  @Test func prefixes() throws {
    for count in [1, 100, 10_000] {
      let hosts = CompiledRules(matchers: (0..<count).map { .prefix("https://api\($0).example.com/v1/") })
      let paths = CompiledRules(matchers: (0..<count).map { .prefix("https://api.example.com/v1/item\($0)/") })
      // A few URLs that stay in the cache, and many that do not.
      for (kind, sample) in [("few", min(count, 16)), ("all", count)] {
        let step = count / sample
        report(
          "\(count) prefixes of as many hosts, \(kind) of them asked",
          try measure(hosts, (0..<sample).map { "https://api\($0 * step).example.com/v1/orders/4711?expand=lines" }))
        report(
          "\(count) prefixes of one host, \(kind) of them asked",
          try measure(
            paths, (0..<sample).map { "https://api.example.com/v1/item\($0 * step)/orders/4711?expand=lines" }))
      }
      report("\(count) prefixes, another host", try measure(hosts, ["https://www.example.org/v1/orders/4711"]))
    }
  }

  @Test func patterns() throws {
    for count in [1, 10, 100, 1000] {
      let kinds: [(String, (Int) -> String)] = [
        ("anchored, other hosts", { "^https://api\($0)\\.example\\.com/v[12]/" }),
        ("anywhere, with telling text", { "/item\($0)/[a-z]+\\.json$" }),
        ("anywhere, without", { "(?i)item\($0)/" }),
      ]
      for (kind, pattern) in kinds {
        let compiled = CompiledRules(matchers: (0..<count).map { .regex(pattern($0)) })
        report(
          "\(count) patterns, \(kind), none matches",
          try measure(compiled, ["https://www.example.org/v1/orders/4711?expand=lines"], verdicts: 200_000 / count))
      }
      let compiled = CompiledRules(matchers: (0..<count).map { .regex("^https://api\($0)\\.example\\.com/v[12]/") })
      report(
        "\(count) patterns, anchored, one matches",
        try measure(compiled, ["https://api0.example.com/v1/orders/4711?expand=lines"]))
    }
  }

  /// Each sample is ten verdicts, because reading the clock costs as much as one.
  @Test func patternPercentile() throws {
    let compiled = CompiledRules(matchers: (0..<1000).map { .regex("^https://api\($0)\\.example\\.com/v[12]/") })
    for url in ["https://www.example.org/v1/orders/4711?expand=lines", "https://api7.example.com/v1/orders/4711"] {
      let text = try CanonicalText.read(Array(url.utf8), fragment: .refuse).get()
      var samples: [Double] = []
      var hits = 0
      text.bytes.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return }
        for _ in 0..<5000 {
          let before = Self.now()
          for _ in 0..<10 where compiled.rules.verdict(start, text.url).isMatch { hits += 1 }
          samples.append((Self.now() - before) / 10)
        }
      }
      report("1000 patterns, 99th percentile", (samples.sorted()[4950], hits))
    }
  }

  @Test func evilPatterns() throws {
    let evil: [(String, String)] = [
      ("^https://x/(a+)+$", "a"), ("(([a-z0-9]+)+\\.)+[!]", "a"), ("[a-z]*[a-z]*[a-z]*[0-9]$", "a"),
      ("[a-z]*[a-z]*[0-9]", "a"), ("a.*a.*a.*a.*[0-9]", "a"), ("^.*.*.*.*.*[0-9]", "a"), ("(a*)*[0-9]", "a"),
      ("(\\w+)\\1\\1[0-9]", "a"), ("^https://x/(\\w+)\\1\\1[0-9]", "a"), ("(?:a?){40}a{40}[0-9]", "a"),
      ("(?=.*.*.*[0-9])a", "a"),
      ("(a|aa|aaa)+[0-9]", "a"), ("([a-z]+)*[A-Z]", "a"), ("(.*)/(.*)/(.*)/(.*)[#]", "/"),
      ("(?:[^/]*/)*[^/]*[#]", "a/"), ("[a-z]++[0-9]", "a"), ("^https://x/[a-z]*[a-z]*[0-9]", "a"), ("$", "a"),
      ("^https://[^?]*/v1/", "a"), ("(?:/[a-z]+)+/v1", "a/"), ("[a-z]+\\.json", "a"),
    ]
    for allowsJIT in [true, false] {
      print(allowsJIT ? "machine code" : "interpreter")
      for (pattern, filler) in evil {
        let compiled = try PCRE2PatternEngine(allowsJIT: allowsJIT).compile(pattern)
        var line = pattern.padding(toLength: 32, withPad: " ", startingAt: 0)
        for length in [50, 100, 500, 2000, 8000] {
          let text = "https://x/" + String(repeating: filler, count: length / filler.utf8.count) + "_"
          let bytes = Array(text.utf8)
          var times: [Double] = []
          var outcome: PatternOutcome?
          for _ in 0..<15 {
            let start = Self.now()
            outcome = bytes.withUnsafeBufferPointer { $0.baseAddress.map { compiled.search($0, bytes.count) } }
            times.append((Self.now() - start) / 1000)
          }
          let mark = outcome == .match ? "m" : outcome == .noMatch ? "n" : "L"
          line += " \(length):\(mark)" + String(format: "%7.1f us", times.sorted()[7])
        }
        print(line)
      }
    }
  }
}
