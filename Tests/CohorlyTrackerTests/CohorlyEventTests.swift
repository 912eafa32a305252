import CohorlyTracker
import Effects
import Testing

@Suite struct CohorlyEventTests {
  static let anonymous = CohorlyIdentity(anonymous: "anon-1")

  static func properties(
    _ identity: CohorlyIdentity = anonymous, automatic: [JSONMember] = [], superProperties: [JSONMember] = [],
    said properties: [JSONMember] = []
  ) -> [JSONMember] {
    CohorlyEvent(
      name: "a", insertID: "id-1", timeMilliseconds: 1_700_000_000_123, identity: identity, automatic: automatic,
      superProperties: superProperties, properties: properties
    ).record.body.last?.value.members ?? []
  }

  @Test func writesTheSameBytesEachTime() {
    let event = CohorlyEvent(
      name: "Signed Up", insertID: "id-1", timeMilliseconds: 1_700_000_000_123,
      identity: Self.anonymous, automatic: [JSONMember("$lib", "footfall"), JSONMember("$os", "Linux")],
      superProperties: [JSONMember("env", "ci")], properties: [JSONMember("plan", "pro"), JSONMember("a", nil)])
    let text =
      #"{"event":"Signed Up","properties":{"distinct_id":"anon-1","time":1700000000123,"$insert_id":"id-1","#
      + #""$device_id":"anon-1","$lib":"footfall","$os":"Linux","a":null,"env":"ci","plan":"pro"}}"#
    for _ in 0..<3 { #expect(String(decoding: event.record.json(token: nil), as: UTF8.self) == text) }
  }

  @Test func row15_tellsNoUserWhileNobodyIsKnown() {
    let names = Self.properties().map(\.name)
    #expect(names.contains("$device_id") && !names.contains("$user_id"))
  }

  @Test func row16_tellsTheUserWhoIsKnown() throws {
    let known = try #require(Self.anonymous.identified(as: "u")).identity
    let properties = JSONValue.object(Self.properties(known))
    #expect(properties["$user_id"] == "u" && properties["distinct_id"] == "u" && properties["$device_id"] == "anon-1")
  }

  @Test func row18_keepsTheCallersDeviceAndUser() throws {
    let known = try #require(Self.anonymous.identified(as: "u")).identity
    let own = Self.properties(known, said: [JSONMember("$user_id", "mine"), JSONMember("$device_id", "my-device")])
    #expect(JSONValue.object(own)["$user_id"] == "mine")
    #expect(JSONValue.object(own)["$device_id"] == "my-device")
    #expect(own.map(\.name).filter { $0 == "$user_id" }.count == 1)
    // Also where nobody is known.
    #expect(JSONValue.object(Self.properties(said: [JSONMember("$user_id", "mine")]))["$user_id"] == "mine")
  }

  @Test func row4_letsACallCountMoreThanWhatIsRegistered() {
    let properties = JSONValue.object(
      Self.properties(
        automatic: [JSONMember("$os", "Linux"), JSONMember("$os_version", "6")],
        superProperties: [JSONMember("plan", "free"), JSONMember("$os", "registered")],
        said: [JSONMember("plan", "pro"), JSONMember("$os_version", "said")]))
    #expect(properties["plan"] == "pro")
    #expect(properties["$os"] == "registered")
    #expect(properties["$os_version"] == "said")
  }

  @Test(arguments: ["distinct_id", "time", "$insert_id", "$lib", "token"]) func keepsReservedNamesForItself(
    name: String
  ) {
    let others = [JSONMember(name, "other")]
    let automatic = [JSONMember("$lib", "footfall")]
    let expected = Self.properties(automatic: automatic)
    #expect(Self.properties(automatic: automatic, superProperties: others, said: others) == expected)
  }

  @Test func takesTheLastOfANameThatIsThereTwice() {
    #expect(JSONValue.object(Self.properties(said: [JSONMember("a", 1), JSONMember("a", 2)]))["a"] == 2)
  }
}
