import AdminAPI
import Foundation
import Testing

@testable import FootfallApp

@Suite struct ProcessFactsTests {
  @Test func knowsThisProcess() {
    #expect(ProcessFacts.identifier == ProcessInfo.processInfo.processIdentifier)
    let facts = ProcessFacts.read(startedAtMilliseconds: 1_500)
    #expect(facts.startTimeSeconds == 1.5)
    #expect(facts.cpuSeconds > 0)
    #expect(facts.residentBytes > 1 << 20)
    #expect(facts.openDescriptors >= 3)
    #expect(facts.openDescriptors <= facts.maximumDescriptors)
  }

  @Test func seesDescriptorsThatAreOpened() throws {
    // Other tests open and close some meanwhile, so this one opens more than they do.
    let before = ProcessFacts.read(startedAtMilliseconds: 0).openDescriptors
    var handles: [FileHandle] = []
    for _ in 0..<200 { handles.append(try #require(FileHandle(forReadingAtPath: "/dev/null"))) }
    #expect(ProcessFacts.read(startedAtMilliseconds: 0).openDescriptors > before + 50)
    for handle in handles { try handle.close() }
  }

  @Test func seesTheTimeThatIsSpent() {
    let before = ProcessFacts.read(startedAtMilliseconds: 0).cpuSeconds
    var rounds = 0
    while ProcessFacts.read(startedAtMilliseconds: 0).cpuSeconds == before, rounds < 1_000_000 { rounds += 1 }
    #expect(ProcessFacts.read(startedAtMilliseconds: 0).cpuSeconds > before)
  }

  @Test func raisesTheLimitOfDescriptorsToTheHardOne() {
    ProcessFacts.raiseDescriptorLimit()
    var limit = rlimit()
    #expect(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    #expect(limit.rlim_cur == limit.rlim_max)
    #expect(ProcessFacts.read(startedAtMilliseconds: 0).maximumDescriptors == UInt64(limit.rlim_max))
  }
}
