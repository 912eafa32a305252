import FootfallApp
import Testing

@Suite struct HelpTextTests {
  /// The path to every group and command.
  static let paths: [[String]] = {
    func below(_ node: CommandNode, _ path: [String]) -> [[String]] {
      [path] + node.children.flatMap { below($0, path + [$0.name]) }
    }
    return below(FootfallCommandLine.root, [])
  }()

  private func node(_ path: [String]) throws -> CommandNode {
    var node = FootfallCommandLine.root
    for name in path { node = try #require(node.child(name)) }
    return node
  }

  @Test(arguments: HelpTextTests.paths)
  func everyCommandHasHelpThatNamesItsOptions(path: [String]) throws {
    let node = try node(path)
    for arguments in [path + ["--help"], path + ["-h"], ["help"] + path] {
      let run = CommandRun(arguments)
      #expect(run.code == .ok)
      #expect(run.error.isEmpty)
      #expect(run.output.contains(node.summary))
      #expect(run.output.contains("Usage: " + (["footfall"] + path).joined(separator: " ")))
      for option in node.allOptions { #expect(run.output.contains(option.synopsis), "\(option.long)") }
      if node.action != nil {
        for code in node.exitCodes { #expect(run.output.contains("  \(code.rawValue)  "), "\(code)") }
        #expect(!node.examples.isEmpty)
      }
      for line in run.output.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    }
  }

  @Test(arguments: HelpTextTests.paths)
  func namesAndLettersAreUnique(path: [String]) throws {
    let node = try node(path)
    #expect(Set(node.allOptions.map(\.long)).count == node.allOptions.count)
    let letters = node.allOptions.compactMap(\.short)
    #expect(Set(letters).count == letters.count)
    #expect(Set(node.children.map(\.name)).count == node.children.count)
    #expect((node.action == nil) == !node.children.isEmpty)
  }

  @Test func listsNestedCommandsUnderTheirFullNames() {
    let help = CommandRun(["--help"]).output
    for name in ["run", "check", "config schema", "rules test", "rules list", "status", "reset", "events", "reload"] {
      #expect(help.contains("\n  \(name) "), "\(name)")
    }
  }

  @Test(arguments: [
    ([], "which command?"), (["rules"], "which rules command?"), (["statu"], "Did you mean \"status\"?"),
  ])
  func usageErrorsGoToTheErrorOutput(arguments: [String], text: String) {
    let run = CommandRun(arguments)
    #expect(run.code == .usage)
    #expect(run.output.isEmpty)
    #expect(run.error.contains(text))
    #expect(run.error.contains("Usage: footfall"))
  }

  @Test(arguments: [["version"], ["--version"], ["-V"]])
  func tellsTheVersions(arguments: [String]) {
    let run = CommandRun(arguments)
    #expect(run.code == .ok)
    #expect(run.output == "footfall 0.1.0 (abc1234, swift 6.3, libevent 2.1.12-stable)\n")
  }
}
