import Glibc

/// A failed system call.
package struct SystemError: Error, Sendable, CustomStringConvertible {
  /// The value of errno right after the call.
  package let code: Int32
  /// The call that failed, as in its manual page.
  package let call: StaticString

  package init(_ call: StaticString, code: Int32 = errno) {
    self.code = code
    self.call = call
  }

  /// Whether the code of an errno says that this process or machine has no descriptors or memory left.
  package static func isExhaustion(_ code: Int32) -> Bool {
    switch code {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM: true
    default: false
    }
  }

  /// The reason in the words of strerror(3).
  package var reason: String { String(cString: strerror(code)) }
  package var description: String { "\(call): \(reason)" }
}
