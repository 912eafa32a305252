import Effects
import Recording
import Storage

/// Prints events from the database, remembering how far it came.
struct EventPrinter {
  private static let pageSize = 500

  private let directory: String
  private let asJSON: Bool
  private let console: Console
  private var reader: EventReader
  private var lastSequence: Int64 = 0
  private var printed = 0

  init(directory: String, asJSON: Bool, console: Console) {
    self.directory = directory
    self.asJSON = asJSON
    self.console = console
    reader = EventReader(directory: directory)
  }

  mutating func printStored(_ limit: EventLimit) throws(CommandFailure) {
    switch limit {
    case .all: try printNew()
    case .newest(let count):
      try show(try read { (reader) throws(StoreError) in try reader.readNewest(count) })
    }
  }

  /// Prints everything after the last event seen.
  mutating func printNew() throws(CommandFailure) {
    while true {
      let after = lastSequence
      let page = try read { (reader) throws(StoreError) in
        try reader.read(afterSequence: after, limit: EventPrinter.pageSize)
      }
      try show(page)
      if page.lastSequence <= after { return }
    }
  }

  func noteWhenEmpty() {
    if printed == 0 { console.note("There are no stored events in \(PrintableText.line(directory)).") }
  }

  private mutating func read(
    _ body: (inout EventReader) throws(StoreError) -> EventPage
  ) throws(CommandFailure) -> EventPage {
    do throws(StoreError) {
      return try body(&reader)
    } catch {
      let code: ExitCode =
        switch error.code {
        case .denied: .permission
        case .corrupt, .newer: .dataError
        case .busy: .temporary
        case .full, .inputOutput, .closed: .inputOutput
        }
      throw CommandFailure(code, "cannot read the events in \(directory): \(error.detail)")
    }
  }

  private mutating func show(_ page: EventPage) throws(CommandFailure) {
    if page.damaged > 0 {
      console.note("\(QuantityText.counted(Int64(page.damaged), "damaged event")) left out.")
    }
    if !asJSON, printed == 0, !page.events.isEmpty { try console.print(console.styled(EventTable.header, .bold)) }
    var text = ""
    for event in page.events {
      text += line(event.row) + "\n"
      printed += 1
    }
    if !text.isEmpty { try console.write(text) }
    lastSequence = max(lastSequence, page.lastSequence)
  }

  private func line(_ row: EventRow) -> String {
    // The database may hold anything: a line feed in it must not make two lines of one event.
    if asJSON {
      let payload = row.payload.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: " ") : $0 }
      return PrintableText.json(String(decoding: payload, as: UTF8.self))
    }
    if let line = EventTable.line(other: row.payload) { return line }
    do throws(ExchangeEvent.Fault) {
      return EventTable.line(try ExchangeEvent(json: row.payload))
    } catch {
      return EventTable.line(unreadable: row.id, error)
    }
  }
}
