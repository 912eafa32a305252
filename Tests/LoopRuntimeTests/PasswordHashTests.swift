import LoopRuntime
import Testing

@Suite struct PasswordHashTests {
  /// As `openssl passwd -6`, `mkpasswd` and `htpasswd -nB` make them.
  @Test(arguments: [
    ("$6$abcdefgh$yVfUwsw5T.JApa8POvClA1pQ5peiq97DUNyXCZN5IrF.BMSkiaLQ5kvpuEm/VQ1Tvh/KV2TcaWh8qinoW5dhA1", "password"),
    ("$y$j75$abcdefghijkl$CvFdmAGwE7ZMGRzTOxzoxM0wRbkuJJARsbjLiyAMdT1", "password"),
    ("$5$rounds=1000$saltsalt$azOwbpkvuuBKkE82dQPwTsQE8JyT9Fflpr9aKid3aT9", "password"),
    ("$2y$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm", "password"),
  ])
  func matchesTheHashesOfOtherTools(hash: String, password: String) {
    #expect(PasswordHash.matches(Array(password.utf8), hash))
    #expect(!PasswordHash.matches(Array((password + "x").utf8), hash))
    #expect(!PasswordHash.matches([], hash))
  }

  @Test func makesHashesThatMatchTheirPasswordOnly() throws {
    let hash = try #require(PasswordHash.make(Array("s\u{e9}sam".utf8), cost: 4))
    #expect(hash.hasPrefix("$2b$04$"))
    #expect(hash.utf8.count == 60)
    #expect(PasswordHash.matches(Array("s\u{e9}sam".utf8), hash))
    #expect(!PasswordHash.matches(Array("sesam".utf8), hash))
    #expect(try #require(PasswordHash.make(Array("s\u{e9}sam".utf8), cost: 4)) != hash, "the salt is random")
  }

  @Test func takesNoPasswordThatWouldBeCut() {
    #expect(PasswordHash.make([0x61, 0, 0x62], cost: 4) == nil)
    #expect(PasswordHash.make([UInt8](repeating: 0x61, count: 73), cost: 4) == nil)
    #expect(PasswordHash.make([UInt8](repeating: 0x61, count: 72), cost: 4) != nil)
  }

  @Test(arguments: ["", "*", "*0", "$2b$10$short", "plain", "$6$"])
  func nothingMatchesWhatIsNoHash(hash: String) {
    #expect(!PasswordHash.matches(Array("plain".utf8), hash))
    #expect(!PasswordHash.matches([], hash))
    #expect(!PasswordHash.matches([0x61, 0], hash))
  }
}
