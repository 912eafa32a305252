import TestKit
import Testing
import VisitorID

@Suite struct ValidatedConfigurationTests {
  private func codes(_ configuration: VisitorIDConfiguration) -> [VisitorIDReason.Code] {
    switch VisitorHarness(configuration).visitor.state {
    case .invalid(let reasons), .degraded(let reasons): reasons.map(\.code)
    case .disabled, .active: []
    }
  }

  @Test func isOnWithTheExampleOfThePublicPage() {
    let visitor = VisitorHarness().visitor
    #expect(visitor.state == .active)
    #expect(visitor.state.isOn)
    #expect(visitor.header == "x-visitor-id")
    #expect(VisitorIDConfiguration().ttlHours == 24)
    #expect(VisitorIDConfiguration().header == nil)
  }

  @Test func gathersAllReasons() {
    var configuration = VisitorIDConfiguration()
    configuration.ttlHours = .nan
    configuration.addMatch(regularExpression: "(")
    configuration.addMatch(urlPrefix: "api.example.com")
    #expect(codes(configuration) == [.headerMissing, .ttlNotPositive, .noValidRule, .ruleNotValid, .ruleNotValid])
  }

  @Test(arguments: ["", "X-Visitor-Id", "cookie", "x-csrf-token", "authorization", "traceparent", "x visitor"])
  func isOffWithAHeaderThatIsNotAllowed(_ header: String) {
    var configuration = VisitorIDConfiguration.example
    configuration.header = header
    let harness = VisitorHarness(configuration)
    #expect(codes(configuration) == [.headerNotAllowed])
    #expect(!harness.visitor.state.isOn)
    #expect(harness.visitor.header.isEmpty)
    #expect(harness.visitor.current() == nil)
    #expect(harness.visitor.headers(for: "https://api.example.com/").isEmpty)
    #expect(harness.store.reads + harness.store.writes == 0)
    #expect(harness.tokens.count == 0)
  }

  @Test(arguments: [0, -1, .infinity, -.infinity, .nan] as [Double])
  func isOffWithAValidityThatIsNoPositiveNumber(_ hours: Double) {
    var configuration = VisitorIDConfiguration.example
    configuration.ttlHours = hours
    #expect(codes(configuration) == [.ttlNotPositive])
  }

  @Test func isOffWithoutAnyRule() {
    var configuration = VisitorIDConfiguration()
    configuration.header = "x-visitor-id"
    #expect(codes(configuration) == [.noValidRule])
  }

  @Test func worksWithoutTheRulesThatAreWrongAndNamesThem() throws {
    var configuration = VisitorIDConfiguration.example
    configuration.addMatch(regularExpression: "[")
    configuration.addMatch(urlPrefix: "https://other.example/")
    let visitor = VisitorHarness(configuration).visitor
    guard case .degraded(let reasons) = visitor.state else {
      Issue.record("the state is \(visitor.state)")
      return
    }
    #expect(reasons.map(\.code) == [.ruleNotValid])
    #expect(reasons.map(\.matchIndex) == [1])
    #expect(reasons.first?.description.contains("regex-syntax") == true)
    #expect(visitor.state.isOn)
    #expect(visitor.visitorID(for: "https://other.example/") != nil)
    #expect(visitor.visitorID(for: "https://api.example.com/") != nil)
  }

  @Test func doesNotCountLintsAsMistakes() {
    var configuration = VisitorIDConfiguration.example
    configuration.addMatch(regularExpression: "example")
    #expect(VisitorHarness(configuration).visitor.state == .active)
  }
}
