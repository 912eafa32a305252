import FootfallApp
import Testing

@Suite struct ConsoleTests {
  private let configuration = #"{"rules": [{"match": {"prefix": "http://h/"}}], "nonsense": 1}"#

  @Test func colorsOnlyForATerminalThatWantsThem() {
    var world = CommandRun.World()
    let plain = CommandRun(["check"], configuration: configuration, world)
    #expect(!plain.output.contains("\u{1b}"))
    world.outputIsTerminal = true
    #expect(CommandRun(["check"], configuration: configuration, world).output.contains("\u{1b}[1;31merror"))
    #expect(CommandRun(["check", "--no-color"], configuration: configuration, world).output == plain.output)
    world.variables = ["NO_COLOR": "1"]
    #expect(CommandRun(["check"], configuration: configuration, world).output == plain.output)
    world.variables = ["NO_COLOR": "", "TERM": "dumb"]
    #expect(CommandRun(["check"], configuration: configuration, world).output == plain.output)
  }

  @Test func aReaderThatHasGoneIsNoFailure() {
    var world = CommandRun.World()
    world.outputLimit = (10, .closed)
    let run = CommandRun(["config", "schema"], world)
    #expect(run.code == .ok)
    #expect(run.error.isEmpty)
  }

  @Test func aFullDiskIsAFailure() {
    var world = CommandRun.World()
    world.outputLimit = (10, .failed(reason: "No space left on device"))
    let run = CommandRun(["config", "schema"], world)
    #expect(run.code == .inputOutput)
    #expect(run.error.contains("No space left on device"))
  }

  @Test func doesNotPrintControlCharactersOfArguments() {
    let run = CommandRun(["sta\u{1b}[31m\u{7}\u{202e}tus"])
    #expect(!run.error.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\u{7}" || $0 == "\u{202e}" })
  }
}
