/// Names that are being looked up, and who waits for each: one look-up serves all who ask meanwhile.
package struct SharedLookUps<Waiter> {
  private var waiters: [String: [Waiter]] = [:]

  package init() {}

  /// How many names are being looked up.
  package var count: Int { waiters.count }

  /// Joins those who wait for the name. True for the first, who has to start the look-up.
  package mutating func join(_ name: String, _ waiter: Waiter) -> Bool {
    waiters[name, default: []].append(waiter)
    return waiters[name]?.count == 1
  }

  /// The answer has come: who waited for it, in the order of asking.
  package mutating func finish(_ name: String) -> [Waiter] { waiters.removeValue(forKey: name) ?? [] }
}
