import Effects
import LoopRuntime
import ProxyConfiguration
import ProxyCore
import ProxyServer
import RuleEngines
import Storage
import URLRules
import VisitorID

/// The parts of a running proxy that outlive a reload, and how a configuration becomes them.
struct ServiceParts {
  let clock = SystemWallClock()
  let tokens = SystemTokenSource()
  let stateDirectory: String
  let directory: StateDirectory
  let state: SQLiteKeyValueStore?
  let events: EventDatabase?
  let recorder: ExchangeRecorder
  /// How far backends have got with the events.
  let positions = DeliveryPositions()
  /// Tells them of new ones.
  let committed = CommitRelay()
  /// Tells Cohorly of flags that decided.
  let asked = AskedRelay()

  /// Opens the state and the events of the directory.
  ///
  /// - Throws: 75 when another instance uses the directory, 65 when a newer version does, 77, 73 or 74 when it cannot be used.
  init(_ configuration: Configuration, stateDirectory: String, log: ServiceLog) throws(CommandFailure) {
    self.stateDirectory = stateDirectory
    do throws(StoreError) {
      directory = try StateDirectory(path: stateDirectory)
      var options = EventDatabaseOptions()
      options.retainedRows = configuration.events.maxRows
      options.retainedBytes = configuration.events.maxBytes
      options.positions = positions
      let committed = committed
      options.onCommitted = { committed.committed(upTo: $0) }
      options.onIncident = { incident in
        switch incident {
        case .quarantined(let name, let reason):
          log.error("the event database was damaged and set aside", ["file": name, "reason": reason])
        case .failing(let error): log.error("events cannot be written", ["reason": error.description])
        case .recovered: log.info("events are written again")
        }
      }
      events = try EventDatabase(in: directory, options: options)
      state = try SQLiteKeyValueStore(directory: stateDirectory) { name in
        log.error("the state database was damaged and set aside: there is a new visitor id", ["file": name])
      }
    } catch {
      throw ServiceParts.failure(error, stateDirectory)
    }
    let file = try ServiceParts.accessLog(configuration)
    do throws(SystemError) {
      let asked = asked
      recorder = try ExchangeRecorder(events: events, log: file, tokens: tokens) { asked.asked($0) }
    } catch {
      throw CommandFailure(.internalError, "cannot start the recorder: \(error.reason)")
    }
  }

  /// Opens the access log that the configuration names.
  static func accessLog(_ configuration: Configuration) throws(CommandFailure) -> RotatableLogFile? {
    let path: String
    switch configuration.log.accessFile {
    case .none: return nil
    case .standardOutput: path = "-"
    case .path(let file): path = file
    }
    do throws(StoreError) {
      return try RotatableLogFile(path: path)
    } catch {
      let opening = "open \(path): "
      let reason = error.detail.hasPrefix(opening) ? String(error.detail.dropFirst(opening.count)) : error.detail
      throw CommandFailure(
        .cannotCreate, "cannot open the access log \(path): \(reason)", hint: accessLogHint(path))
    }
  }

  private static func accessLogHint(_ path: String) -> String {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    return ProcessFiles.permissions(folder) == nil
      ? "The directory \(folder) does not exist: create it, or change log.accessFile."
      : "Look at the permissions of \(folder), or change log.accessFile."
  }

  /// The visitor id of a configuration; nil while the feature is off or invalid.
  ///
  /// - Parameter previous: the one before a reload, whose id goes on also where it could not be stored.
  func visitorID(_ configuration: Configuration, continuing previous: VisitorID? = nil) -> VisitorID? {
    guard case .enabled(let feature, _) = configuration.visitorID, let state else { return nil }
    return VisitorID(
      header: feature.header, ttlHours: feature.ttlHours, store: state, clock: clock, tokens: tokens,
      continuing: previous)
  }

  static func failure(_ error: StoreError, _ directory: String) -> CommandFailure {
    switch error.code {
    case .busy:
      CommandFailure(
        .temporary, "another footfall uses the state directory \(directory)",
        hint: "Stop it, or name another directory with state.directory.")
    case .newer:
      CommandFailure(
        .dataError, "a newer footfall has written to the state directory \(directory): \(error.detail)",
        hint: "Run that version or a later one, or name another directory with state.directory.")
    case .denied:
      CommandFailure(
        .permission, "cannot use the state directory \(directory): \(error.detail)",
        hint: "Look at its owner and permissions, or name another one with state.directory.")
    default:
      CommandFailure(
        .inputOutput, "cannot use the state directory \(directory): \(error.detail)",
        hint: "Look at what is there and at its disk, or name another directory with state.directory.")
    }
  }
}
