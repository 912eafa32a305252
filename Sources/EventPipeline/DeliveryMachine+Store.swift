import Effects

extension DeliveryMachine {
  // MARK: Reading

  mutating func loaded(_ result: Result<DeliveryCursor, StoreError>, _ moment: Moment) {
    guard phase == .loading, reading.isLoading else { return }
    reading.isLoading = false
    switch result {
    case .success(let cursor):
      reading.succeed()
      reading.resumed = cursor
      reading.readUpTo = max(cursor.position, discardedUpTo)
      noteDiscarded(reading.readUpTo &- cursor.position)
      flushGoal = max(flushGoal, reading.readUpTo)
      phase = drainDeadline == nil ? .running : .draining
    case .failure(let error):
      reading.fail(error, now: moment.nanoseconds, random: moment.random)
    }
  }

  mutating func received(_ result: Result<RecordPage, StoreError>, _ moment: Moment) {
    guard reading.isReading else { return }
    reading.isReading = false
    switch result {
    case .success(let page):
      var last = reading.readUpTo
      for event in page.events where event.sequence > last {
        last = event.sequence
        guard !reading.resumed.isAcknowledged(event.sequence) else { continue }
        window.append(event)
        readyParkedUntil = nil
      }
      status.damaged &+= page.damaged
      if page.damaged > 0 { saving.noteProgress() }
      if reading.endPage(page) {
        reading.succeed()
      } else {
        let error = StoreError(.corrupt, "the queue says that there are more events, and gives none")
        reading.fail(error, now: moment.nanoseconds, random: moment.random)
      }
    case .failure(let error):
      reading.fail(error, now: moment.nanoseconds, random: moment.random)
    }
  }

  mutating func received(letters result: Result<[DeadLetter], StoreError>, _ moment: Moment) {
    guard reading.isReadingLetters else { return }
    reading.isReadingLetters = false
    switch result {
    case .success(let letters):
      reading.succeed()
      guard !letters.isEmpty else { return }
      // There may be more; they are asked for once these are dealt with.
      reading.mayHaveLetters = true
      window.append(
        letters: DeliveryBatch(
          events: letters.map(\.event), letters: letters.map(\.number), deliveredBefore: gate.delivered))
    case .failure(let error):
      reading.mayHaveLetters = true
      reading.fail(error, now: moment.nanoseconds, random: moment.random)
    }
  }

  /// Asks for what there is room for. While progress cannot be stored nothing more is read, so that a restart repeats
  /// no more than a window.
  mutating func read(_ moment: Moment) {
    guard phase == .running || phase == .draining, !sendsNothingMore, saving.error == nil, reading.retryAt == nil
    else { return }
    let hasRoom = window.rows <= options.windowRows / 2 && window.bytes <= options.windowBytes / 2
    if reading.mayHaveMore, !reading.isReading, hasRoom, phase == .running || reading.readUpTo < drainGoal {
      reading.beginPage()
      actions.append(
        .read(
          after: reading.readUpTo, limit: max(1, options.windowRows &- window.rows),
          bytes: max(1, options.windowBytes &- window.bytes)))
    }
    // Letters that are in the window, or settled and not stored as such, would be read again.
    if reading.mayHaveLetters, !reading.isReadingLetters, hasRoom, phase == .running, !window.holdsLetters,
      saving.settledLetters.isEmpty, saving.underway == nil, saving.dead.allSatisfy({ $0.number == 0 })
    {
      reading.isReadingLetters = true
      reading.mayHaveLetters = false
      actions.append(.readLetters(limit: max(1, options.windowRows / 10)))
    }
  }

  // MARK: Discarding

  /// Gives up what was committed up to a number and is not under way.
  mutating func discard(upTo sequence: Int64) {
    let sequence = min(sequence, max(reading.committedUpTo, reading.readUpTo))
    discardedUpTo = max(discardedUpTo, sequence)
    // Before the store has told where to continue, nobody knows how many those are.
    guard phase != .loading, phase != .idle else { return }
    let unread = max(0, sequence &- reading.readUpTo)
    reading.readUpTo &+= unread
    flushGoal = max(flushGoal, sequence)
    noteDiscarded(window.discard(upTo: sequence) &+ unread)
  }

  /// Gives up what was under way when it was to be discarded, and has come back.
  mutating func discardAgain(_ batch: DeliveryBatch) {
    guard let first = batch.events.first, first.sequence <= discardedUpTo else { return }
    noteDiscarded(window.discard(upTo: discardedUpTo))
  }

  private mutating func noteDiscarded(_ count: Int64) {
    guard count > 0 else { return }
    status.discarded &+= count
    saving.noteProgress()
  }

  // MARK: Saving

  /// Everything up to here is acknowledged or dead.
  var position: Int64 { window.oldest.map { $0.sequence &- 1 } ?? reading.readUpTo }

  mutating func saveIfDue(_ moment: Moment) {
    guard let due = saving.dueAt, moment.nanoseconds >= due || (phase == .draining && saving.error == nil) else {
      return
    }
    let unread = reading.resumed.missing.compactMap { range -> ClosedRange<Int64>? in
      range.upperBound > reading.readUpTo ? max(range.lowerBound, reading.readUpTo &+ 1)...range.upperBound : nil
    }
    let cursor = DeliveryCursor(
      position: position, through: max(reading.readUpTo, reading.resumed.through), missing: window.missing + unread)
    actions.append(.save(saving.begin(cursor)))
  }

  mutating func saved(_ error: StoreError?, _ moment: Moment) {
    guard saving.underway != nil else { return }
    if let error {
      saving.fail(error, now: moment.nanoseconds, random: moment.random)
    } else {
      let interval = Backoff.nanoseconds(milliseconds: UInt64(clamping: max(0, options.saveIntervalMilliseconds)))
      saving.succeed(now: moment.nanoseconds, interval: interval)
    }
  }
}
