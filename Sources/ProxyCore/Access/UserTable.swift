/// Who may use the proxy: names and the hashes of their passwords.
package struct UserTable: Sendable, Equatable {
  /// What clients are shown beside the question for a password.
  package let realm: String
  private let hashes: [[UInt8]: String]
  /// The hash that a password of an unknown user is held against, so that both take the same time; nil without users.
  package let decoy: String?

  /// - Parameter users: names, each once, and hashes in the form of crypt(3).
  package init(realm: String, users: [(name: String, hash: String)]) {
    self.realm = realm
    hashes = Dictionary(users.map { (Array($0.name.utf8), $0.hash) }, uniquingKeysWith: { first, _ in first })
    decoy = users.first?.hash
  }

  package var count: Int { hashes.count }

  /// The hash of the user's password; nil for an unknown user.
  package func hash(of user: [UInt8]) -> String? { hashes[user] }

  /// The value of `Proxy-Authenticate` (RFC 7617, section 2.1).
  package var challenge: String { "Basic realm=\"\(realm)\", charset=\"UTF-8\"" }
}
