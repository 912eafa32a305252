import Glibc

/// Reads a line that nobody is to see.
enum SecretPrompt {
  /// A line of the standard input, without its end: typed unseen after the prompt where that is a terminal, otherwise
  /// just read. Nil at the end of the input.
  static func read(_ prompt: String) -> [UInt8]? {
    var settings = termios()
    guard isatty(STDIN_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else { return line() }
    _ = ProcessFiles.write(Array(prompt.utf8), to: STDERR_FILENO)
    var silent = settings
    silent.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
      _ = ProcessFiles.write([0x0a], to: STDERR_FILENO)
    }
    return line()
  }

  /// Byte by byte, because what follows the line belongs to the next question.
  private static func line() -> [UInt8]? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 4096 {
      let count = Glibc.read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return bytes.isEmpty ? nil : bytes }
      if byte == 0x0a { break }
      bytes.append(byte)
    }
    if bytes.last == 0x0d { bytes.removeLast() }
    return bytes
  }
}
