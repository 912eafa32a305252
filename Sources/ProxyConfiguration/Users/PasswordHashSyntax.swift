/// Whether a text is a hash that crypt(3) makes and that is worth having.
enum PasswordHashSyntax {
  /// What is wrong, and what to do.
  struct Fault: Error, Hashable {
    var message: String
    var hint: String
  }

  private static let hint = "make the line with `footfall users hash NAME`, htpasswd -nB or mkpasswd"

  /// Checks the form alone: that the text is whole, of a known method, and not too dear to verify.
  static func check(_ hash: Substring) throws(Fault) {
    let parts = hash.split(separator: "$", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts[0].isEmpty else { throw plain(hash) }
    switch parts[1] {
    case "2a", "2b", "2y": try checkBcrypt(parts)
    case "5": try checkSHA(parts, digest: 43)
    case "6": try checkSHA(parts, digest: 86)
    case "y", "gy", "7":
      // yescrypt's parameters are its own business; salt and digest must be there.
      guard parts.count == (parts[1] == "7" ? 4 : 5), let digest = parts.last, digest.utf8.count == 43,
        isAlphabet(digest)
      else { throw cut() }
    case "1", "apr1":
      throw Fault(message: "MD5 hashes ($\(parts[1])$) are too weak and not supported", hint: hint)
    default: throw Fault(message: "the method $\(parts[1].prefix(8))$ is not known", hint: hint)
    }
  }

  private static func checkBcrypt(_ parts: [Substring]) throws(Fault) {
    guard parts.count == 4, parts[2].utf8.count == 2, let cost = Int(parts[2]), (4...31).contains(cost) else {
      throw cut()
    }
    guard parts[3].utf8.count == 53, isAlphabet(parts[3]) else { throw cut() }
    if cost > 15 {
      throw Fault(message: "a bcrypt cost of \(cost) takes seconds for each password", hint: "use 10 to 12")
    }
  }

  private static func checkSHA(_ parts: [Substring], digest length: Int) throws(Fault) {
    var rest = parts[2...]
    if let first = rest.first, first.hasPrefix("rounds=") {
      guard let rounds = Int(first.dropFirst(7)), rounds >= 1000 else { throw cut() }
      if rounds > 5_000_000 {
        throw Fault(message: "\(rounds) rounds take seconds for each password", hint: "use less than a million")
      }
      rest = rest.dropFirst()
    }
    guard rest.count == 2, let salt = rest.first, salt.utf8.count <= 16, let digest = rest.last,
      digest.utf8.count == length, isAlphabet(digest)
    else { throw cut() }
  }

  private static func plain(_ hash: Substring) -> Fault {
    if hash.hasPrefix("{SHA}") || hash.hasPrefix("{") {
      return Fault(message: "hashes of the form {...} are not supported", hint: hint)
    }
    return Fault(message: "what follows the name is not a hash of a password", hint: hint)
  }

  private static func cut() -> Fault {
    Fault(message: "the hash is cut short or damaged", hint: hint)
  }

  /// The digits of crypt(5).
  private static func isAlphabet(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: false
      }
    }
  }
}
