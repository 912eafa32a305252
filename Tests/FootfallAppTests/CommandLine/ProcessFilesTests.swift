import Foundation
import Testing

@testable import FootfallApp

@Suite struct ProcessFilesTests {
  private let directory = FileManager.default.temporaryDirectory.appendingPathComponent("footfall-\(UUID())")

  init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }

  private func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

  @Test func readsAFileOfAnySizeWhole() throws {
    defer { try? FileManager.default.removeItem(at: directory) }
    for size in [0, 1, 65_536, 200_001] {
      let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try Data(content).write(to: directory.appendingPathComponent("file"))
      #expect(ProcessFiles.read(path("file")) == .content(content))
    }
  }

  @Test func tellsAMissingFileFromOneThatCannotBeRead() {
    defer { try? FileManager.default.removeItem(at: directory) }
    #expect(ProcessFiles.read(path("nothing")) == .missing)
    #expect(ProcessFiles.read(path("nothing/below")) == .missing)
    guard case .failed(let reason) = ProcessFiles.read(directory.path) else {
      Issue.record("a directory was read as a file")
      return
    }
    #expect(!reason.isEmpty)
  }

  @Test func doesNotWaitForAWriterOfANamedPipe() {
    defer { try? FileManager.default.removeItem(at: directory) }
    #expect(mkfifo(path("pipe"), 0o600) == 0)
    #expect(ProcessFiles.read(path("pipe")) == .content([]))
  }

  @Test func writesAllAndNoticesAReaderThatHasGone() {
    defer { try? FileManager.default.removeItem(at: directory) }
    signal(SIGPIPE, SIG_IGN)
    var ends: [CInt] = [-1, -1]
    #expect(pipe(&ends) == 0)
    #expect(ProcessFiles.write(Array("line\n".utf8), to: ends[1]) == .written)
    var got = [UInt8](repeating: 0, count: 16)
    #expect(read(ends[0], &got, 16) == 5)
    close(ends[0])
    #expect(ProcessFiles.write([1], to: ends[1]) == .closed)
    close(ends[1])
    guard case .failed = ProcessFiles.write([1], to: -1) else {
      Issue.record("writing to nothing was taken for a success")
      return
    }
  }
}
