import Effects
import FootfallApp
import Foundation
import ProxyConfiguration
import TestKit

/// The built executable, run as a child process with a configuration of its own; ended with the object at the latest.
final class RunningProxy {
  /// What went wrong with the child, with all that it has said.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let errorFile: String
  private var process: pid_t
  private var status: CInt?

  /// Starts it with the arguments `run --config CONFIGURATION`.
  ///
  /// - Parameters:
  ///   - configuration: the path of the file.
  ///   - directory: for what it writes to standard error.
  init(configuration: String, in directory: ScratchDirectory) throws {
    errorFile = directory.file("stderr-\(UUID().uuidString.prefix(8))")
    process = try RunningProxy.spawn(
      [try RunningProxy.executable(), "run", "--config", configuration], directory: directory.path, errors: errorFile)
  }

  deinit { kill() }

  /// The executable, which lies beside the test bundle.
  private static func executable() throws -> String {
    let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let places = [runner, CommandLine.arguments.first ?? "", Bundle.main.bundlePath]
    let found = places.map { URL(fileURLWithPath: $0).deletingLastPathComponent().path + "/footfall" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let found else { throw Failure(description: "no executable footfall beside \(places)") }
    return found
  }

  private static func spawn(_ arguments: [String], directory: String, errors: String) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // Connections of other tests must not stay open in the child, nor those that they make in this moment.
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { CInt($0) }
    for descriptor in 3...((open.max() ?? 3) + 64) { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // The threads of tests block signals, and a child inherits that.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    // What a sanitizer is told holds for the child too: otherwise its reports are lost, and change the exit code.
    let passed = ["ASAN_OPTIONS", "TSAN_OPTIONS", "SWIFT_BACKTRACE"].compactMap { name in
      ProcessInfo.processInfo.environment[name].map { "\(name)=\($0)" }
    }
    var variables: [UnsafeMutablePointer<CChar>?] = (["HOME=\(directory)"] + passed).map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    var process = pid_t()
    let code = posix_spawn(&process, arguments[0], &actions, &attributes, &words, &variables)
    guard code == 0 else { throw Failure(description: "posix_spawn: \(String(cString: strerror(code)))") }
    return process
  }

  // MARK: What it says

  /// What it has written to standard error, line by line.
  var lines: [String] {
    guard let data = FileManager.default.contents(atPath: errorFile) else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Waits for the n-th line that holds the text.
  @discardableResult
  func line(_ text: String, number: Int = 1) throws -> String {
    for _ in 0..<6_000 {
      let isOver = hasEnded
      let found = lines.filter { $0.contains(text) }
      if found.count >= number { return found[number - 1] }
      if isOver { break }
      usleep(10_000)
    }
    throw Failure(description: "no line \(number) with \"\(text)\" in: \(lines.joined(separator: "\n"))")
  }

  /// The port that a line with that text ends with, once there is one.
  private func port(_ text: String) throws -> UInt16 {
    let line = try line(text)
    guard let port = line.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw Failure(description: "no port in: \(line)")
    }
    return port
  }

  /// Where clients connect; waits until it listens.
  func port() throws -> UInt16 { try port("the proxy listens address=") }

  /// The client of its admin endpoint.
  func admin() throws -> AdminClient {
    let port = try port("the admin endpoint listens address=")
    return AdminClient(
      address: .tcp(Endpoint(IPAddress(v4: 0x7f00_0001), port: port)), token: nil, deadlineMilliseconds: 60_000)
  }

  /// Sends a request on a connection of its own and reads the response.
  func get(_ url: String) throws -> RawResponse {
    let client = try RawConnection(port: port())
    try client.send("GET \(url) HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
    return try client.readResponse()
  }

  // MARK: Its life

  func signal(_ number: CInt) { if !hasEnded { Glibc.kill(process, number) } }

  private var hasEnded: Bool {
    if status != nil { return true }
    var raw: CInt = 0
    guard waitpid(process, &raw, WNOHANG) == process else { return false }
    status = raw
    return true
  }

  var isRunning: Bool { !hasEnded }

  /// Waits for its end; throws when a signal ended it.
  func exitCode() throws -> Int32 {
    for _ in 0..<6_000 where !hasEnded { usleep(10_000) }
    guard let status else { throw Failure(description: "it does not end: \(lines.joined(separator: "\n"))") }
    guard status & 0x7f == 0 else {
      throw Failure(description: "ended by the signal \(status & 0x7f): \(lines.joined(separator: "\n"))")
    }
    return status >> 8 & 0xff
  }

  /// Ends it in any case.
  func kill() {
    guard !hasEnded else { return }
    Glibc.kill(process, SIGKILL)
    var raw: CInt = 0
    while waitpid(process, &raw, 0) < 0, errno == EINTR {}
    status = raw
  }
}
