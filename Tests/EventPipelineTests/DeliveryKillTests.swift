import Effects
import EventPipeline
import Foundation
import Storage
import Testing

/// Real kills: a child process records and delivers, and dies by SIGKILL at a random moment.
@Suite struct DeliveryKillTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func everythingCommittedArrivesWhateverWasKilled() async throws {
    let path = directory.path
    var committed: [String] = []
    for round in 0..<10 {
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
        let world = try await PipelineWorld(path, backend: StubBackend.file(path + "/taken"))
        let progress = open(path + "/progress-\(round)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let killer = Thread {
          usleep(UInt32.random(in: 5_000...150_000))
          kill(getpid(), SIGKILL)
        }
        killer.start()
        var number = 0
        while true {
          let count = Int.random(in: 1...60)
          world.record((number..<(number + count)).map { "r\(round)-\($0)" })
          number += count
          // What is committed by now must arrive, whatever happens.
          var committed = number
          pwrite(progress, &committed, 8, 0)
        }
      }
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path + "/progress-\(round)"))
      let count = bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
      committed += (0..<count).map { "r\(round)-\($0)" }
    }
    let world = try await PipelineWorld(path, backend: StubBackend.file(path + "/taken"))
    #expect(await world.deliverAll())
    await world.stop()
    let taken = try String(contentsOfFile: path + "/taken", encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(committed.count > 100)
    #expect(Set(committed).subtracting(taken) == [])
    // What was under way, or acknowledged in the last moment before a kill, comes twice with the same id: at most what
    // the window holds.
    #expect(taken.count - Set(taken).count <= 10 * 1_000)
    #expect(world.deliveries.quarantined == 0)
  }
}

extension StubBackend {
  /// A backend that outlives the process: it appends the ids to a file.
  static func file(_ path: String) -> StubBackend {
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let backend = StubBackend()
    backend.answer { ids, _ in
      let lines = Array((ids.joined(separator: "\n") + "\n").utf8)
      // One write is there as a whole or not at all, also after a kill.
      return write(file, lines, lines.count) == lines.count ? .take : .fail(.interrupted)
    }
    return backend
  }
}
