import ProxyCore
import Testing

@Suite struct UserTableTests {
  @Test func knowsItsUsersAndHasADecoyForOthers() {
    let table = UserTable(realm: "here", users: [("ada", "h1"), ("bob", "h2")])
    #expect(table.hash(of: Array("bob".utf8)) == "h2")
    #expect(table.hash(of: Array("Bob".utf8)) == nil)
    #expect(table.decoy == "h1")
    #expect(table.count == 2)
    #expect(table.challenge == "Basic realm=\"here\", charset=\"UTF-8\"")
    #expect(UserTable(realm: "here", users: []).decoy == nil)
  }
}
