import Effects
import Foundation
import ProxyCore
import RuleEngines
import Storage
import Synchronization
import TestKit
import URLRules

/// A directory of its own for one test, removed with the object.
final class ScratchDirectory: Sendable {
  let path: String

  init() throws {
    // Short, because the path of a socket must be.
    path = NSTemporaryDirectory() + "footfall-app-" + UUID().uuidString.prefix(13)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("left behind: \(path): \(error)")
    }
  }

  /// The path of something in the directory.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: file(name))) }

  func text(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: file(name))), as: UTF8.self)
  }
}

/// Lines that something under test has written, in their order.
final class KeptLines: Sendable {
  private let kept = Mutex<[String]>([])

  var lines: [String] { kept.withLock { $0 } }

  func add(_ line: String) { kept.withLock { $0.append(line) } }
}

/// Hands out tokens that count up, the first of them only when the test says so.
final class GatedTokenSource: TokenSource {
  private let tokens = SequenceTokenSource()
  private let arrival = Handover<Bool>()
  private let release = Handover<Bool>()

  func sixteenBytes() -> (UInt64, UInt64) {
    arrival.put(true)
    _ = release.take()
    return tokens.sixteenBytes()
  }

  /// Waits until somebody asks for a token.
  func waitForAsker() { _ = arrival.take() }

  /// Lets this asker and all later ones go on.
  func open() { release.put(true) }
}

/// The rules with the product's engines.
func compiledRules(_ definitions: [RuleDefinition] = []) -> RuleSet {
  RuleSet.compile(definitions, patterns: PCRE2PatternEngine(), hostNames: IDNA2008HostNameEncoder()).rules
}

/// Exchanges with the URLs, the first at the second 1 of time.
func recordBatch(_ urls: [String]) -> RecordBatch {
  let snapshot = InjectionSnapshot(
    settings: ProxySettings(), rules: compiledRules(), injections: [], visitorID: nil,
    validity: Int64.min..<Int64.max, generation: 1)
  var batch = RecordBatch()
  for (index, url) in urls.enumerated() {
    var entry = RecordBatch.Entry()
    entry.startedAtMilliseconds = 1_000 * Int64(index + 1)
    entry.status = 200
    entry.requestBytes = 10 + Int64(index)
    let method = Array("GET".utf8)
    let text = Array(url.utf8)
    method.withUnsafeBufferPointer { method in
      text.withUnsafeBufferPointer { text in
        batch.append(entry, method: method, url: text, rules: [], moreRules: [], snapshot: snapshot)
      }
    }
  }
  return batch
}
