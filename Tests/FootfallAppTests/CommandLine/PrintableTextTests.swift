import Effects
import FootfallApp
import Testing

@Suite struct PrintableTextTests {
  @Test(arguments: ["\u{1b}[31m", "a\r\nb", "\u{9b}2J", "\u{202e}txt.exe", "\u{7}", "\u{2028}", "\u{feff}"])
  func nothingATerminalObeysIsLeft(text: String) {
    let line = PrintableText.line(text)
    #expect(!line.unicodeScalars.contains { $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) })
    #expect(!line.unicodeScalars.contains { [0x202e, 0x2028, 0xfeff].contains($0.value) })
  }

  @Test(arguments: ["plain", "grüße 日本 🙂", "\u{1b}[31m\u{9b}\u{202e}\u{7f}", "\u{e0041}", "a\tb\r"])
  func jsonStaysTheSameJSON(text: String) throws {
    let value: JSONValue = ["name": .string(text), "list": [.string(text), 1]]
    for indentation in [0, 2] {
      let json = PrintableText.json(JSONWriter.text(value, indentation: indentation))
      #expect(try JSONReader().value(json) == value)
      #expect(!json.unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || (0x7f..<0xa0).contains($0.value) })
      #expect(!json.unicodeScalars.contains { $0 == "\u{202e}" || $0 == "\u{e0041}" })
    }
  }

  @Test func ordinaryTextStaysAsItIs() {
    #expect(PrintableText.line("grüße 日本 🙂") == "grüße 日本 🙂")
    #expect(PrintableText.json("{\n  \"a\": \"é\"\n}") == "{\n  \"a\": \"é\"\n}")
  }
}
