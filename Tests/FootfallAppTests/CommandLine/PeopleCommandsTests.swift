import AdminAPI
import Effects
import FootfallApp
import Testing

/// The commands that drive identity and profile of Cohorly, against a real admin endpoint.
@Suite struct PeopleCommandsTests {
  @Test func identifiesSomebody() throws {
    let asked = OrderedBackends.Asked()
    #expect(try OrderedBackends.run(["identify", "user-4711"], asked).output == "the identity is user… now\n")
    #expect(try OrderedBackends.run(["identify", "user-4711", "--ids"]).output == "the identity is user-4711 now\n")
    #expect(try OrderedBackends.run(["identify", "user-same"]).output == "the identity is user… already\n")
    #expect(try JSONReader().value(OrderedBackends.run(["identify", "x", "--json"]).output)["changed"] == true)
    #expect(asked.all == ["identify user-4711"])
  }

  @Test func queuesChangesOfTheProfile() throws {
    let asked = OrderedBackends.Asked()
    let run = try OrderedBackends.run(
      [
        "people", "--set", "plan=pro", "-s", "city=a=b", "--set-once", "first=1", "-i", "logins=1", "--increment",
        "credits=-2.5", "-u", "trial", "--unset=old",
      ], asked)
    #expect(run.code == .ok)
    #expect(run.output == "4 changes of the profile stored\n")
    #expect(
      asked.all == [
        #"people set {"plan":"pro","city":"a=b"} setOnce {"first":"1"} increment {"logins":1,"credits":-2.5} "#
          + "unset trial,old"
      ])
    #expect(try OrderedBackends.run(["people", "--delete"], asked).output == "1 change of the profile stored\n")
    #expect(
      try OrderedBackends.run(["people", "--changes", #"{"set": {"seats": [5]}}"#], asked).code == .ok)
    #expect(asked.all.suffix(2) == ["people delete", #"people set {"seats":[5]}"#])
  }

  @Test(arguments: [
    ["identify"], ["identify", "a", "b"], ["people"], ["people", "plan=pro"], ["people", "--set", "plan"],
    ["people", "--set", "=x"], ["people", "--set", "a=1", "--set", "a=2"], ["people", "-i", "a=x"],
    ["people", "-i", "a="], ["people", "-i", "a=inf"], ["people", "-i", "a=nan"], ["people", "--changes", "{"],
    ["people", "--changes", "[]"], ["people", "--changes", "{}", "--delete"],
  ])
  func wrongUseAsksNobody(arguments: [String]) throws {
    let asked = OrderedBackends.Asked()
    #expect(try OrderedBackends.run(arguments, asked).code == .usage)
    #expect(asked.all.isEmpty)
  }

  @Test(arguments: [
    ["identify", ""], ["people", "--changes", "{}"], ["people", "--changes", #"{"add": {"a": 1}}"#],
    ["people", "--delete", "--set", "a=1"],
  ])
  func whatTheEndpointRefusesIsWrongData(arguments: [String]) throws {
    let asked = OrderedBackends.Asked()
    #expect(try OrderedBackends.run(arguments, asked).code == .dataError)
    #expect(asked.all.isEmpty)
  }
}
