import Testing

@testable import HTTPWire

@Suite struct ByteClassTests {
  private static let digits = "0123456789"
  private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

  @Test(arguments: UInt8(0)...0xff) func tableAgreesWithTheGrammars(byte: UInt8) {
    func isOne(of text: String) -> Bool { text.utf8.contains(byte) }
    let isForbidden = byte <= 0x20 || byte == 0x7f
    #expect(ByteClass.has(ByteClass.token, byte) == isOne(of: Self.digits + Self.letters + "!#$%&'*+-.^_`|~"))
    #expect(ByteClass.has(ByteClass.label, byte) == isOne(of: Self.digits + Self.letters + "-_"))
    #expect(ByteClass.has(ByteClass.ipv6, byte) == isOne(of: Self.digits + "abcdefABCDEF:."))
    #expect(ByteClass.has(ByteClass.pathStop, byte) == (isForbidden || byte >= 0x80 || isOne(of: "#?\\.%")))
    #expect(ByteClass.has(ByteClass.queryStop, byte) == (isForbidden || byte >= 0x80 || isOne(of: "#")))
  }

  @Test(arguments: UInt8(0)...0xff) func octetsAgreeWithTheirNames(byte: UInt8) {
    let text = String(decoding: [byte], as: UTF8.self)
    #expect(Octet.isDigit(byte) == (byte < 0x80 && Self.digits.contains(text)))
    #expect(Octet.isWhitespace(byte) == (byte == 0x20 || byte == 0x09))
    #expect(Octet.hexadecimalValue(byte) == (byte < 0x80 ? UInt8(text, radix: 16) : nil) ?? 255)
    #expect(Octet.lowercased(byte) == (byte < 0x80 ? text.lowercased().utf8.first : byte))
  }
}
