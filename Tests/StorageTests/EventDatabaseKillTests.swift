import Effects
import Foundation
import Testing

@testable import Storage

/// Real kills: a child process writes as fast as it can and dies by SIGKILL at a random moment.
@Suite struct EventDatabaseKillTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  @Test func losesNothingThatWasCommittedToAKill() async throws {
    let path = directory.path
    var acknowledgedInAll = 0
    for round in 0..<12 {
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, round = round as Int] in
        var options = EventDatabaseOptions()
        options.groupCommitMilliseconds = 2
        options.groupCommitRows = 50
        let database = try EventDatabase.open(directory: path, options: options)
        let progress = open(path + "/progress-\(round)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let killer = Thread {
          usleep(UInt32.random(in: 1_000...60_000))
          kill(getpid(), SIGKILL)
        }
        var number = 0
        var isDoomed = false
        while true {
          for _ in 0..<Int.random(in: 1...120) {
            let payload = row(number, bytes: 900).payload
            database.append(EventRow(id: "\(round)-\(number)", timeMilliseconds: Int64(number), payload: payload))
            number += 1
          }
          if number % 7 == 0 { database.flush(timeoutMilliseconds: 30_000) }
          // What is committed by now must be there after the kill.
          var committed = database.status.committed
          pwrite(progress, &committed, 8, 0)
          if number > 100, !isDoomed {
            isDoomed = true
            killer.start()
          }
        }
      }
      let acknowledged = try directory.read("progress-\(round)").reversed().reduce(0) { $0 << 8 | Int($1) }
      let ids = try storedEvents(directory).map(\.row.id).filter { $0.hasPrefix("\(round)-") }
      acknowledgedInAll += acknowledged
      #expect(ids.count >= acknowledged)
      // A prefix without a gap: no transaction is there in part, none is missing in the middle.
      #expect(ids == (0..<ids.count).map { "\(round)-\($0)" })
      #expect(try integrity(directory) == "ok")
    }
    #expect(acknowledgedInAll > 0)
    let database = try EventDatabase.open(directory: path)
    #expect(database.status.damaged == 0)
    #expect(database.status.quarantined == 0)
    database.close()
  }
}
