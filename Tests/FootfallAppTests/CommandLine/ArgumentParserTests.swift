import Testing

@testable import FootfallApp

@Suite struct ArgumentParserTests {
  private static let name = CommandOption("name", short: "n", value: "NAME", "A name.")
  private static let quick = CommandOption("quick", short: "q", "Quickly.")

  private let root = CommandNode(
    name: "tool", summary: "A tool.",
    children: [
      CommandNode(
        name: "do", summary: "Does.", operands: .init("WHAT [MORE]", minimum: 1, maximum: 2), options: [name, quick],
        action: { _ in .ok }),
      CommandNode(
        name: "group", summary: "Groups.",
        children: [CommandNode(name: "inner", summary: "Inner.", action: { _ in .ok })]
      ),
    ])

  private func parse(_ text: String) -> ArgumentParser.Outcome {
    ArgumentParser.parse(text.split(separator: " ").map(String.init), root: root)
  }

  @Test(
    arguments: [
      ("do a", nil, false, ["a"]), ("do --name x a", "x", false, ["a"]), ("do --name=x a", "x", false, ["a"]),
      ("do --name=a=b a", "a=b", false, ["a"]), ("do -n x a", "x", false, ["a"]), ("do -nx a", "x", false, ["a"]),
      ("do -n=x a", "x", false, ["a"]), ("do -qn x a", "x", true, ["a"]), ("do -qnx a", "x", true, ["a"]),
      ("do a --quick", nil, true, ["a"]), ("do -- --quick", nil, false, ["--quick"]), ("do - -q", nil, true, ["-"]),
      ("do --name --quick a", "--quick", false, ["a"]), ("do --name x --name y a b", "y", false, ["a", "b"]),
      ("do -- a --", nil, false, ["a", "--"]), ("--no-color do a", nil, false, ["a"]),
    ] as [(String, String?, Bool, [String])])
  func readsOptionsAndOperands(text: String, name: String?, quick: Bool, operands: [String]) throws {
    guard case .run(let node, let parsed) = parse(text) else {
      Issue.record("\(parse(text))")
      return
    }
    #expect(node.name == "do")
    #expect(parsed.value(of: Self.name) == name)
    #expect(parsed.has(Self.quick) == quick)
    #expect(parsed.operands == operands)
  }

  @Test(
    arguments: [
      ("", "which command?", nil), ("group", "which group command?", nil),
      ("doo a", "unknown command \"doo\"", "Did you mean \"do\"?"),
      ("group iner", "unknown command \"iner\"", "Did you mean \"inner\"?"), ("xyz", "unknown command \"xyz\"", nil),
      ("do", "missing argument: WHAT [MORE]", nil), ("do a b c", "unexpected argument \"c\"", nil),
      ("do --nmae x a", "unknown option --nmae", "Did you mean --name?"), ("do --zzzz a", "unknown option --zzzz", nil),
      ("do -x a", "unknown option -x", nil), ("do a --name", "option --name needs a value: NAME", nil),
      ("do --name= a", "option --name needs a value: NAME", nil), ("do a -n", "option --name needs a value: NAME", nil),
      ("do --quick=yes a", "option --quick takes no value", nil), ("--quick do a", "unknown option --quick", nil),
    ] as [(String, String, String?)])
  func refusesWithAReason(text: String, message: String, hint: String?) {
    guard case .refused(_, _, let failure) = parse(text) else {
      Issue.record("accepted")
      return
    }
    #expect(failure.code == .usage)
    #expect(failure.message == message)
    #expect(failure.hint == hint)
  }

  @Test(arguments: [
    ("--help", ["tool"]), ("-h", ["tool"]), ("do --help", ["tool", "do"]), ("--help do", ["tool", "do"]),
    ("do -h --bogus", ["tool", "do"]), ("group --help", ["tool", "group"]),
    ("group inner -h extra", ["tool", "group", "inner"]), ("bogus --help", ["tool"]),
  ])
  func helpBeatsEveryMistake(text: String, names: [String]) {
    guard case .help(let path, _) = parse(text) else {
      Issue.record("\(parse(text))")
      return
    }
    #expect(path.map(\.name) == names)
  }

  @Test func helpAfterTheDashesIsAnOperand() {
    guard case .run(_, let parsed) = parse("do -- --help") else {
      Issue.record("\(parse("do -- --help"))")
      return
    }
    #expect(parsed.operands == ["--help"])
  }
}
