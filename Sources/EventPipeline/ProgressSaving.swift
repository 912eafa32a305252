import Effects

/// What is to be stored of the progress, and when.
struct ProgressSaving: Sendable {
  /// Events that became dead letters and are not stored as such.
  private(set) var dead: [DeadLetter] = []
  /// Letters that were delivered after all.
  private(set) var settledLetters: [Int64] = []
  /// Something was acknowledged that is not stored.
  private(set) var isDirty = false
  /// The change that is being stored.
  private(set) var underway: DeliveryChange?
  /// The last failure, until saving works again.
  private(set) var error: StoreError?
  private var notBefore: UInt64 = 0
  private var failures = 0

  /// Whether everything is stored.
  var isClean: Bool { !isDirty && underway == nil }

  /// When the next change should be stored; nil when there is none, or while one is being stored.
  var dueAt: UInt64? { isDirty && underway == nil ? notBefore : nil }

  mutating func noteProgress() { isDirty = true }

  mutating func noteDead(_ letter: DeadLetter) {
    dead.append(letter)
    isDirty = true
  }

  mutating func noteSettled(_ letters: [Int64]) {
    settledLetters += letters
    isDirty = true
  }

  /// The change to store now, with this cursor.
  mutating func begin(_ cursor: DeliveryCursor) -> DeliveryChange {
    let change = DeliveryChange(cursor: cursor, dead: dead, settledLetters: settledLetters)
    underway = change
    dead = []
    settledLetters = []
    isDirty = false
    return change
  }

  mutating func succeed(now: UInt64, interval: UInt64) {
    underway = nil
    failures = 0
    error = nil
    notBefore = now &+ interval
  }

  mutating func fail(_ error: StoreError, now: UInt64, random: UInt64) {
    if let change = underway {
      dead = change.dead + dead
      settledLetters = change.settledLetters + settledLetters
    }
    underway = nil
    isDirty = true
    failures &+= 1
    self.error = error
    notBefore = now &+ StorePauses.backoff.nanoseconds(failures: failures, random: random)
  }
}
