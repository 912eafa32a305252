import Glibc
import HTTPWire

/// Reads streams of requests as the proxy's front does and says what it read, for comparison with other parsers.
///
/// Standard input: cases, each a length in four bytes (big-endian) and so many bytes. Standard output: one JSON object
/// per case; bytes are spelled in hexadecimal digits.
enum CaseReader {
  static func run() {
    let parser = HeadParser()
    var input = everything()[...]
    while !input.isEmpty {
      let length = input.prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let bytes = Array(input.dropFirst(4).prefix(length))
      guard bytes.count == length else {
        complain("the last case is cut short")
        exit(65)
      }
      print(RequestStream(bytes, parser).json)
      input = input.dropFirst(4 + length)
    }
  }

  private static func everything() -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }

  private static func complain(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
