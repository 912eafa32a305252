import Effects
import Testing

@testable import Recording

@Suite struct JSONLineTests {
  @Test func writesMembersOfEveryKindInOrder() throws {
    let bytes = JSONLine.bytes { line in
      line.member("text", "a")
      line.member("number", 42 as Int64)
      line.member("truth", true)
      line.memberNull("nothing")
      line.member("list", ["b", "c"])
      line.member("none", [])
      line.member("moment", momentMilliseconds: 0)
      line.member("duration", durationMicroseconds: 1_500)
      line.close()
    }
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"text":"a","number":42,"truth":true,"nothing":null,"list":["b","c"],"none":[],"#
        + #""moment":"1970-01-01T00:00:00.000Z","duration":1.500}"#)
    #expect(try JSONReader().value(bytes)["number"]?.integer == 42)
  }

  @Test func closesAnEmptyObject() {
    let bytes = JSONLine.bytes { line in
      line.close()
      line.endLine()
    }
    #expect(bytes == Array("{}\n".utf8))
  }

  @Test func keepsWhatWasWrittenBeforeAnEscapedString() {
    let bytes = JSONLine.bytes { line in
      line.member("a", "plain")
      line.member("b", "quote\" and \u{2029}")
      line.close()
    }
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":"plain","b":"quote\" and \u2029"}"#)
  }
}
