package import Effects

/// What the admin endpoint can ask of Cohorly: one closure per order, called and answering as those of ``BackendOrders``.
package struct CohorlyOrders: Sendable {
  package typealias Reply<Value: Sendable> = BackendOrders.Reply<Value>

  /// Makes this the identity; answers once that is stored. Nothing changes when it is already.
  package var identify: @Sendable (_ distinctID: String, _ reply: @escaping Reply<IdentityReport>) -> Void
  /// Queues these changes of the profile of the identity, in this order, all or none; the result is how many.
  package var people: @Sendable (_ changes: [PeopleChange], _ reply: @escaping Reply<Int>) -> Void
  /// What is known of the flags; exposes none.
  package var flags: @Sendable (_ reply: @escaping Reply<FlagsReport>) -> Void
  /// Evaluates the flags once; what is known then, or why it failed: then nothing changed.
  package var reloadFlags: @Sendable (_ reply: @escaping Reply<FlagsReport>) -> Void
  /// Begins a new anonymous identity and discards what is not sent. When asked to send it first and something is in the
  /// way of that, nothing is reset. The reply is called on the endpoint's own loop.
  package var reset: @Sendable (_ flushFirst: Bool, _ reply: @escaping Reply<IdentityReset>) -> Void

  package init(
    identify: @escaping @Sendable (String, @escaping Reply<IdentityReport>) -> Void,
    people: @escaping @Sendable ([PeopleChange], @escaping Reply<Int>) -> Void,
    flags: @escaping @Sendable (@escaping Reply<FlagsReport>) -> Void,
    reloadFlags: @escaping @Sendable (@escaping Reply<FlagsReport>) -> Void,
    reset: @escaping @Sendable (Bool, @escaping Reply<IdentityReset>) -> Void
  ) {
    self.identify = identify
    self.people = people
    self.flags = flags
    self.reloadFlags = reloadFlags
    self.reset = reset
  }
}

/// One change of a profile (contract: Cohorly, section 2.5).
package enum PeopleChange: Sendable, Hashable {
  case set([JSONMember])
  /// Those that the profile does not have yet.
  case setOnce([JSONMember])
  /// Adds these numbers.
  case increment([JSONMember])
  case unset([String])
  /// Removes the whole profile.
  case delete
}

/// What came of beginning a new identity.
package struct IdentityReset: Sendable, Hashable {
  /// The new distinct id, in full; the rendering masks it.
  package var distinctID: String
  /// Records that were not sent and never will be.
  package var discarded: UInt64

  package init(distinctID: String, discarded: UInt64) {
    self.distinctID = distinctID
    self.discarded = discarded
  }
}

/// The identity of Cohorly, as `POST /identify` answers it.
package struct IdentityReport: Sendable, Hashable {
  /// In full; the rendering masks it.
  package var distinctID: String
  /// In full; the rendering masks it.
  package var deviceID: String
  package var isAnonymous: Bool
  /// Whether the order changed it.
  package var isChanged: Bool

  package init(distinctID: String, deviceID: String, isAnonymous: Bool, isChanged: Bool) {
    self.distinctID = distinctID
    self.deviceID = deviceID
    self.isAnonymous = isAnonymous
    self.isChanged = isChanged
  }

  package func json(ids: IDDisclosure) -> JSONValue {
    .object([
      JSONMember("distinctID", .string(ids.text(distinctID))), JSONMember("deviceID", .string(ids.text(deviceID))),
      JSONMember("anonymous", .bool(isAnonymous)), JSONMember("changed", .bool(isChanged)),
    ])
  }
}
