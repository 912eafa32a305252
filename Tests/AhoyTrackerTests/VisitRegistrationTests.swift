import AhoyTracker
import Effects
import Testing

@Suite struct VisitRegistrationTests {
  @Test func writesTheVectorOfTheContract() {
    let registration = VisitRegistration(tokens: VisitVectors.tokens, fields: VisitVectors.fields)
    #expect(
      VisitVectors.text(registration.body)
        == #"{"app_version":"9.9.99","os_version":"16.0.2","platform":"iOS","visit_token":"B054681C-100B-46FE-94A0-7AACA78116CB","visitor_token":"EB4DCB73-2B32-52CD-A2CF-AD7948674B22"}"#
    )
  }

  @Test func writesTheVectorWithParameters() {
    let fields = VisitFields.merged(
      platform: "iOS", appVersion: "9.9.99", osVersion: "16.0.2",
      parameters: [JSONMember("utm_source", "some-place"), JSONMember("source", 3)])
    let registration = VisitRegistration(tokens: VisitVectors.tokens, fields: fields)
    #expect(
      VisitVectors.text(registration.body)
        == #"{"app_version":"9.9.99","os_version":"16.0.2","platform":"iOS","source":3,"utm_source":"some-place","visit_token":"B054681C-100B-46FE-94A0-7AACA78116CB","visitor_token":"EB4DCB73-2B32-52CD-A2CF-AD7948674B22"}"#
    )
  }

  @Test func letsParametersCountMoreThanTheProgram() {
    let fields = VisitFields.merged(
      platform: "Linux", appVersion: "1", osVersion: "12", parameters: [JSONMember("platform", "Web")])
    let registration = VisitRegistration(tokens: VisitTokens(visit: "a", visitor: "b"), fields: fields)
    #expect(
      VisitVectors.text(registration.body)
        == #"{"app_version":"1","os_version":"12","platform":"Web","visit_token":"a","visitor_token":"b"}"#)
  }

  @Test(arguments: ["visit_token", "visitor_token", "events", "events_json", "name"])
  func letsNoParameterTakeThePlaceOfSomethingElse(_ name: String) {
    let registration = VisitRegistration(
      tokens: VisitTokens(visit: "a", visitor: "b"), fields: [JSONMember(name, "forged")])
    #expect(VisitVectors.text(registration.body) == #"{"visit_token":"a","visitor_token":"b"}"#)
  }

  @Test func keepsTheProgramWhenTheRestIsTooLarge() {
    let fields = VisitFields.merged(
      platform: "iOS", appVersion: "1", osVersion: "2", parameters: [JSONMember("landing_page", "https://…")])
    let registration = VisitRegistration(tokens: VisitVectors.tokens, fields: fields).withoutParameters
    #expect(registration.fields.map(\.name) == ["app_version", "os_version", "platform"])
    #expect(registration.tokens == VisitVectors.tokens)
  }
}
