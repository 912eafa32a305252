import AdminAPI
import Effects
import Testing

@Suite struct AdminErrorTests {
  @Test(arguments: AdminError.Code.allCases)
  func theAnswerHasTheStableShape(code: AdminError.Code) throws {
    let response = AdminError(code, "what", hint: "remedy").response
    #expect(response.status == code.status)
    #expect((400..<600).contains(response.status))
    #expect(
      try response.json() == ["error": ["code": .string(code.rawValue), "message": "what", "hint": "remedy"]])
  }

  @Test func bringsItsDetailsAndFieldsAlong() throws {
    let error = AdminError(
      .methodNotAllowed, "what", hint: "remedy", details: [JSONMember("issues", ["one"])],
      fields: [.init("Allow", "POST")])
    #expect(try error.response.json()["error"]?["issues"] == ["one"])
    #expect(error.response.value(of: "allow") == "POST")
  }

  @Test func textFromOutsideStaysOneJSONString() throws {
    let error = AdminError(.notFound, "a\u{1b}[31m\r\n\"b\u{2028}", hint: "")
    let body = String(decoding: error.response.body, as: UTF8.self)
    #expect(!body.unicodeScalars.contains { $0 == "\u{1b}" || $0 == "\r" || $0 == "\u{2028}" })
    #expect(try error.response.json()["error"]?["message"] == "a\u{1b}[31m\r\n\"b\u{2028}")
  }

  @Test func equalityIsThatOfTheCode() {
    #expect(AdminError(.draining, "a", hint: "b") == AdminError(.draining, "c", hint: "d"))
    #expect(AdminError(.draining, "a", hint: "b") != AdminError(.notFound, "a", hint: "b"))
  }
}
