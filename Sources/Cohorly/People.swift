import CohorlyTracker
import Effects

extension Cohorly {
  /// Changes of the profile of whoever is the current identity at the call. They are queued as events are.
  public struct People: Sendable {
    let client: Cohorly

    /// Sets properties.
    public func set(_ properties: [String: any Encodable & Sendable]) {
      client.change("set", properties) { .set($0) }
    }

    /// Sets properties that the profile does not have yet.
    public func setOnce(_ properties: [String: any Encodable & Sendable]) {
      client.change("setOnce", properties) { .setOnce($0) }
    }

    /// Adds to numbers; negative ones subtract.
    public func increment(_ numbers: [String: any Numeric & Encodable & Sendable]) {
      client.change("increment", numbers) { .increment($0) }
    }

    /// Adds to one number.
    public func increment(_ property: String, by number: any Numeric & Encodable & Sendable = 1) {
      increment([property: number])
    }

    /// Removes properties. A server refuses it to who has only the token of a project; ``Cohorly/status`` tells.
    public func unset(_ properties: [String]) { client.change("unset", [:]) { _ in .unset(properties) } }

    /// Removes one property.
    public func unset(_ property: String) { unset([property]) }

    /// Deletes the profile. Refused as ``unset(_:)-([String])``.
    public func deleteUser() { client.change("deleteUser", [:]) { _ in .delete } }
  }

  /// The profile of the current identity.
  public var people: People { People(client: self) }

  fileprivate func change(
    _ what: String, _ values: [String: any Encodable & Sendable], _ operation: ([JSONMember]) -> PeopleOperation
  ) {
    let members: [JSONMember]
    do { members = try PropertyValues.members(values) } catch {
      return reject("people.\(what): \(error)")
    }
    let operation = operation(members)
    guard !operation.isEmpty else { return }
    enqueue { moment in operation.record(distinctID: moment.identity.distinctID) }
  }
}
