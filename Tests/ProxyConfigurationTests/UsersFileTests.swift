import Effects
import ProxyConfiguration
import Testing

@Suite struct UsersFileTests {
  private static let bcrypt = "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"
  private static let digest86 = String(repeating: "a", count: 86)
  private static let digest43 = String(repeating: "a", count: 43)

  private func read(_ text: String) -> (users: [String], issues: [String]) {
    let (users, issues) = UsersFile.read(Array(text.utf8), file: "u")
    return (users.map { "\($0.name)=\($0.hash)" }, issues.map(\.description))
  }

  @Test func readsLinesAndPassesOverCommentsAndBlanks() {
    let (users, issues) = read("# who\n\n ada:\(Self.bcrypt)  \r\n\tb\u{f6}b b:\(Self.bcrypt)\n#x:y")
    #expect(issues == [])
    #expect(users == ["ada=\(Self.bcrypt)", "b\u{f6}b b=\(Self.bcrypt)"])
  }

  @Test(arguments: [
    bcrypt, bcrypt.replacing("$2b$", with: "$2y$"), bcrypt.replacing("$2b$", with: "$2a$"),
    "$6$salt$\(digest86)", "$6$rounds=5000$salt$\(digest86)", "$5$salt$\(digest43)", "$6$$\(digest86)",
    "$y$j9T$salt$\(digest43)", "$gy$j9T$salt$\(digest43)", "$7$CU..../....salt$\(digest43)",
  ])
  func takesTheHashesOfItsTime(hash: String) {
    let (users, issues) = read("ada:\(hash)")
    #expect(issues == [])
    #expect(users == ["ada=\(hash)"])
  }

  @Test(arguments: [
    ("secret", "not a hash"), ("", "not a hash"), ("ab1234567890.", "not a hash"), ("$1$salt$digest", "too weak"),
    ("$apr1$salt$digest", "too weak"), ("{SHA}abc=", "not supported"), ("$9$salt$digest", "not known"),
    ("\(bcrypt.dropLast())", "cut short"), ("\(bcrypt)x", "cut short"),
    (bcrypt.replacing("$10$", with: "$99$"), "cut short"),
    (bcrypt.replacing("$10$", with: "$20$"), "seconds for each password"), ("$6$salt$short", "cut short"),
    ("$6$seventeencharacte$\(digest86)", "cut short"),
    ("$6$rounds=99999999$salt$\(digest86)", "seconds for each password"),
    ("$6$rounds=x$salt$\(digest86)", "cut short"), ("$y$j9T$\(digest43)", "cut short"),
    ("$6$salt$\(digest86):more", "cut short"),
  ])
  func refusesOthersWithoutRepeatingThem(hash: String, reason: String) {
    let (users, issues) = read("# first\nada:\(hash)")
    #expect(users == [])
    #expect(issues.count == 1)
    #expect(issues.first?.hasPrefix("u:2:1: error: 'ada': ") == true, "\(issues)")
    #expect(issues.first?.contains(reason) == true, "\(issues)")
    #expect(hash.count < 6 || issues.first?.contains(hash) == false)
  }

  @Test(arguments: [
    ("ada", "u:1:1: error: the line is not a name, a colon and a hash"),
    (":\(bcrypt)", "the name is not 1 to 255 bytes"),
    ("\u{1}:\(bcrypt)", "control characters"), ("\(String(repeating: "a", count: 256)):\(bcrypt)", "1 to 255"),
    ("a:\(bcrypt)\n\nb:\(bcrypt)\na:\(bcrypt)", "u:4:1: error: 'a' is on line 1 already"),
    ("# nobody\n", "u:1:1: warning: the file has no users"),
  ])
  func saysWhichLineIsWrong(text: String, reason: String) {
    let issues = read(text).issues
    #expect(issues.count == 1)
    #expect(issues.first?.contains(reason) == true, "\(issues)")
  }

  @Test func namesAreUTF8() {
    let (users, issues) = UsersFile.read([0x61, 0xff] + Array(":\(Self.bcrypt)".utf8), file: "u")
    #expect(users.isEmpty)
    #expect(issues.map(\.code) == [.invalidUser])
  }
}
