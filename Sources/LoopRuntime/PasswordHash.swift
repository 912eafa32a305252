import CLinux
import Glibc

/// Hashes of passwords, by crypt(3).
///
/// Each call takes as long as the hash is meant to take, up to seconds: never on a loop.
package enum PasswordHash {
  /// Whether the hash was made of that password. False also for a hash that crypt(3) does not take.
  package static func matches(_ password: [UInt8], _ hash: String) -> Bool {
    // crypt(3) would stop at the NUL and take the rest for nothing.
    guard !password.contains(0) else { return false }
    return (password + [0]).withUnsafeBytes { bytes in
      bytes.baseAddress.map { clinux_password_matches($0.assumingMemoryBound(to: CChar.self), hash) == 1 } ?? false
    }
  }

  /// A new hash of the password by bcrypt with a random salt, for a file of users; nil when the password has a NUL or
  /// more than the 72 bytes that bcrypt looks at.
  ///
  /// - Parameter cost: the logarithm of the rounds, 4 to 15.
  package static func make(_ password: [UInt8], cost: UInt = 10) -> String? {
    guard !password.contains(0), password.count <= 72 else { return nil }
    var hash = [CChar](repeating: 0, count: 128)
    let made = (password + [0]).withUnsafeBytes { bytes in
      bytes.baseAddress.map {
        clinux_hash_password($0.assumingMemoryBound(to: CChar.self), cost, &hash, CInt(hash.count)) == 0
      } ?? false
    }
    guard made, let end = hash.firstIndex(of: 0) else { return nil }
    return String(decoding: hash[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
