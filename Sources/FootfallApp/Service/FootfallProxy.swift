import AdminAPI
import AdminServer
import Effects
import Glibc
import LoopRuntime
import ProxyConfiguration
import ProxyCore
import ProxyServer
import Storage
import URLRules
import VisitorID

/// The running proxy: composes the parts, serves signals and the admin endpoint on the calling thread's loop, reloads,
/// drains and ends.
final class FootfallProxy {
  private let file: ConfigurationFile
  private let readFile: @Sendable (String) -> FileReading
  let log: ServiceLog
  let parts: ServiceParts
  let publisher: SnapshotPublisher
  let service: ProxyService
  let backends: BackendHost
  let versions: StatusReport.Versions
  let startedAt: Int64
  let adminLoop: EventLoop
  private var admin: AdminServer?
  private var signals: [SignalSource] = []
  private(set) var configuration: Configuration
  private var users: UserTable?
  private(set) var configurationReport = StatusReport.Configuration()
  private(set) var isDraining = false
  private var drainThread: NativeThread?
  private(set) var watch: ServiceWatch?
  private var watchTimer: LoopTimer?
  private var exitCode = ExitCode.ok
  /// What waits for the backends is left to the next run.
  private var endsAtOnce = false

  /// Runs the proxy of a configuration until a signal ends it.
  static func run(_ file: ConfigurationFile, _ environment: CommandEnvironment, _ console: Console) -> ExitCode {
    do throws(CommandFailure) {
      let proxy = try FootfallProxy(file, environment, console)
      return try proxy.serve()
    } catch {
      console.report(error)
      return error.code
    }
  }

  private init(
    _ file: ConfigurationFile, _ environment: CommandEnvironment, _ console: Console
  ) throws(CommandFailure) {
    let configuration = try file.usable(console)
    signal(SIGPIPE, SIG_IGN)
    ProcessFacts.raiseDescriptorLimit()
    self.file = file
    self.configuration = configuration
    let access = AccessUsers.load(configuration, environment.readFile)
    guard !access.hasErrors else { throw access.refusal(console) }
    users = access.table
    readFile = environment.readFile
    versions = environment.versions
    let log = ServiceLog(level: configuration.log.level, clock: SystemWallClock()) { StandardError.offer($0) }
    self.log = log
    for issue in access.issues { log.warning("the users", ["issue": issue.description]) }
    let parts = try ServiceParts(configuration, stateDirectory: file.stateDirectory, log: log)
    self.parts = parts
    startedAt = parts.clock.millisecondsSinceEpoch()
    let publisher = SnapshotPublisher(
      .init(
        settings: ProxySettings(
          configuration, users: access.table, ownEndpoints: FootfallProxy.ownEndpoints(configuration),
          localAddresses: SocketAddress.localAddresses(), connectionRoom: ProcessFacts.connectionRoom),
        rules: file.loaded.ruleSet, visitorID: parts.visitorID(configuration)), clock: parts.clock)
    self.publisher = publisher
    do throws(SystemError) {
      adminLoop = try EventLoop()
    } catch {
      throw CommandFailure(.internalError, "cannot make an event loop: \(error.reason)")
    }
    let workers = configuration.proxy.workers ?? max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
    let (seed, pseudonym) = parts.tokens.sixteenBytes()
    let recorder = parts.recorder
    // A worker does not wait for the disk: the loop of the admin endpoint stores the id that it made.
    let storeAccess = adminLoop.mailbox
    let backends = BackendHost(
      parts, version: environment.versions.footfall, capacity: Int64(clamping: configuration.events.maxRows),
      mailbox: storeAccess, log: log, onChange: { publisher.renew() })
    self.backends = backends
    try backends.use(configuration)
    do throws(ProxyService.StartError) {
      service = try ProxyService(
        .init(
          listen: configuration.proxy.listen, workers: workers, snapshots: publisher.box, resolver: Resolver(),
          viaPseudonym: "footfall-\(String(pseudonym, radix: 16).suffix(8))", addsVia: configuration.proxy.via,
          seed: seed, sink: { recorder.record($0) },
          renew: { if publisher.renewAtOnce() { storeAccess.post { publisher.renew() } } },
          awaited: { backends.ahoy?.visits.ensure() }))
    } catch {
      throw FootfallProxy.listenFailure(error)
    }
    noteConfiguration(file, at: startedAt)
    warnOfDescriptors()
  }

  private func warnOfDescriptors() {
    let room = ProcessFacts.connectionRoom
    guard room < configuration.limits.connections else { return }
    log.warning(
      "fewer connections than limits.connections are possible, because fewer files may be open",
      ["wanted": "\(configuration.limits.connections)", "possible": "\(room)"])
  }

  // MARK: Serving

  private func serve() throws(CommandFailure) -> ExitCode {
    try openAdmin()
    // The ports are known now, so that the proxy refuses to be sent to itself also where the kernel chose them.
    publish(configuration, publisher.ingredients.rules, publisher.ingredients.visitorID)
    watchSignals()
    for endpoint in service.endpoints { log.info("the proxy listens", ["address": "\(endpoint)"]) }
    if let place = adminPlace { log.info("the admin endpoint listens", ["address": place]) }
    startWatching()
    backends.start()
    adminLoop.run()
    end()
    return exitCode
  }

  private func startWatching() {
    let watch = ServiceWatch(parts, log: log)
    self.watch = watch
    watchTimer = LoopTimer(adminLoop) { [unowned self] in
      watch.look()
      watchTimer?.start(afterMilliseconds: FootfallProxy.watchInterval)
    }
    watchTimer?.start(afterMilliseconds: FootfallProxy.watchInterval)
  }

  private static let watchInterval = 5000

  /// Writes down what is left. A disk that hangs must not keep the process: a further signal ends it at once, and so
  /// does the time.
  private func end() {
    signals = []
    for number in [SIGTERM, SIGINT, SIGQUIT] { signal(number, SIG_DFL) }
    let delivery = backends.all.isEmpty || endsAtOnce ? 0 : configuration.pipeline.drain.wholeMilliseconds
    _ = try? NativeThread(name: "last-resort") {
      sleep(10 + UInt32(clamping: delivery / 1000))
      StandardError.offer("footfall: what was left could not be written in 10 s; ending without it")
      _exit(ExitCode.inputOutput.rawValue)
    }
    watchTimer = nil
    admin?.close()
    drainThread?.join()
    parts.recorder.stop()
    if !backends.all.isEmpty { parts.events?.flush(timeoutMilliseconds: 2_000) }
    backends.stop(milliseconds: delivery)
    parts.events?.close()
    if let status = parts.events?.status, status.droppedClosed > 0 || status.isFailing {
      log.error(
        "events could not be written", ["count": "\(status.droppedClosed &+ status.droppedError)"])
    }
    parts.recorder.log?.close()
    parts.state?.close()
    log.info("ended")
  }

  private func openAdmin() throws(CommandFailure) {
    guard let address = configuration.admin.listen else { return }
    var token: String?
    if let path = configuration.admin.tokenFile {
      token = try AdminToken.read(path, readFile)
      if let warning = AdminToken.exposure(path) { log.warning("the admin token", ["issue": warning]) }
    }
    let place: AdminServer.Place
    switch address {
    case .tcp(let endpoint): place = .tcp(endpoint)
    case .unix(let path): place = .unix(path: path)
    }
    do throws(SystemError) {
      admin = try AdminServer(adminLoop, at: place, token: token, context: adminContext(), clock: parts.clock)
    } catch {
      service.stop()
      throw CommandFailure(
        error.code == EADDRINUSE ? .temporary : .cannotCreate,
        "the admin endpoint cannot listen on \(address): \(error.reason)",
        hint: "Look for another process there, or change admin.listen.")
    }
  }

  /// Where the admin endpoint is, for people; nil when it is off.
  var adminPlace: String? {
    guard let address = configuration.admin.listen else { return nil }
    return admin?.endpoint.map { "\($0)" } ?? "\(address)"
  }

  private static func listenFailure(_ error: ProxyService.StartError) -> CommandFailure {
    let code: ExitCode =
      switch error.cause.code {
      case EADDRINUSE: .temporary
      case EACCES, EPERM: .permission
      default: .cannotCreate
      }
    if error.cause.code == EADDRNOTAVAIL, let endpoint = error.endpoint {
      return CommandFailure(
        code, "the proxy cannot listen on \(endpoint): no interface of this machine has that address",
        hint: "`ip addr` shows the addresses there are; change proxy.listen to one of them.")
    }
    return CommandFailure(
      code, "the proxy \(error.description)", hint: "Look for another process there, or change proxy.listen.")
  }

  private static func ownEndpoints(_ configuration: Configuration) -> [Endpoint] {
    var endpoints = configuration.proxy.listen
    if case .tcp(let admin) = configuration.admin.listen { endpoints.append(admin) }
    return endpoints
  }

  // MARK: Signals

  private func watchSignals() {
    let ends: [CInt] = [SIGTERM, SIGQUIT]
    signals = ends.map { number in SignalSource(adminLoop, signal: number) { [unowned self] in stopRequested() } }
    signals.append(SignalSource(adminLoop, signal: SIGINT) { [unowned self] in endNow() })
    signals.append(SignalSource(adminLoop, signal: SIGHUP) { [unowned self] in _ = reload() })
    signals.append(
      SignalSource(adminLoop, signal: SIGUSR1) { [unowned self] in
        parts.recorder.log?.reopen()
        log.info("the access log was reopened")
      })
    signals.append(
      SignalSource(adminLoop, signal: SIGUSR2) { [unowned self] in
        log.info("status", ["report": JSONWriter.text(statusReport().json(ids: .masked))])
      })
  }

  private func stopRequested() {
    guard !isDraining else { return endNow() }
    isDraining = true
    let milliseconds = configuration.timeouts.drain.wholeMilliseconds
    log.info("draining", ["milliseconds": "\(milliseconds)"])
    let service = self.service
    let mailbox = adminLoop.mailbox
    let bound = LoopBound(self, on: adminLoop)
    do throws(SystemError) {
      drainThread = try NativeThread(name: "drain") {
        let isWhole = service.drain(milliseconds: milliseconds)
        mailbox.post { bound.value.drained(isWhole) }
      }
    } catch {
      log.error("cannot wait for running exchanges", ["reason": error.reason])
      service.stop()
      adminLoop.stop()
    }
  }

  private func drained(_ isWhole: Bool) {
    if !isWhole { log.warning("exchanges were cut at the end of the drain time") }
    adminLoop.stop()
  }

  private func endNow() {
    log.info("ending at once")
    endsAtOnce = true
    if isDraining {
      service.cutShort()
    } else {
      service.stop()
      adminLoop.stop()
    }
  }

  // MARK: Reloading

  /// Reads the configuration again and goes on with it, or keeps the old one when it has errors.
  func reload() -> ReloadOutcome {
    if isDraining { return .draining }
    let now = parts.clock.millisecondsSinceEpoch()
    let newer: ConfigurationFile
    do throws(CommandFailure) {
      newer = try file.reread(readFile)
    } catch {
      return refuseReload([error.message ?? "the configuration file cannot be read"], at: now)
    }
    guard let next = newer.loaded.configuration, !newer.loaded.hasErrors else {
      return refuseReload(newer.loaded.issues.map(\.description), at: now)
    }
    let access = AccessUsers.load(next, readFile)
    if access.hasErrors { return refuseReload(access.issues.map(\.description), at: now) }
    do throws(CommandFailure) {
      let isOtherLog = next.log.accessFile != configuration.log.accessFile
      let accessLog = isOtherLog ? try ServiceParts.accessLog(next) : nil
      try backends.use(next)
      if isOtherLog { parts.recorder.use(accessLog) }
    } catch {
      return refuseReload([error.message ?? "what it names cannot be had"], at: now)
    }
    var warnings = (newer.loaded.issues + access.issues).map(\.description)
    users = access.table
    warnings += unreloadable(next)
    log.setLevel(next.log.level)
    var applied = next
    keepUnreloadable(in: &applied)
    configuration = applied
    publish(applied, newer.loaded.ruleSet, parts.visitorID(applied, continuing: publisher.ingredients.visitorID))
    noteConfiguration(newer, at: now)
    configurationReport.lastReload = .init(at: now, succeeded: true, issues: warnings)
    log.info("the configuration was reloaded", ["hash": configurationReport.hash])
    for warning in warnings { log.warning("the new configuration", ["issue": warning]) }
    return .reloaded(hash: configurationReport.hash, warnings: warnings)
  }

  private func refuseReload(_ issues: [String], at now: Int64) -> ReloadOutcome {
    configurationReport.lastReload = .init(at: now, succeeded: false, issues: issues)
    for issue in issues { log.error("the new configuration was refused", ["issue": issue]) }
    return .refused(issues: issues)
  }

  private func publish(_ configuration: Configuration, _ rules: RuleSet, _ visitorID: VisitorID?) {
    var own = service.endpoints
    if let endpoint = admin?.endpoint { own.append(endpoint) }
    publisher.replace(
      .init(
        settings: ProxySettings(
          configuration, users: users, ownEndpoints: own, localAddresses: SocketAddress.localAddresses(),
          connectionRoom: ProcessFacts.connectionRoom), rules: rules, visitorID: visitorID,
        visits: backends.ahoy?.visits, cohorly: backends.cohorly?.keeper,
        questions: CohorlyService.questions(configuration.rules), reserved: backends.reserved))
  }

  /// What a reload cannot change, for what of it the new configuration changes.
  private func unreloadable(_ next: Configuration) -> [String] {
    var names: [String] = []
    if next.proxy.listen != configuration.proxy.listen { names.append("proxy.listen") }
    if next.proxy.workers != configuration.proxy.workers { names.append("proxy.workers") }
    if next.proxy.via != configuration.proxy.via { names.append("proxy.via") }
    if next.admin.listen != configuration.admin.listen { names.append("admin.listen") }
    if next.admin.tokenFile != configuration.admin.tokenFile { names.append("admin.tokenFile") }
    if next.state.directory != configuration.state.directory { names.append("state.directory") }
    if next.events.maxRows != configuration.events.maxRows { names.append("events.maxRows") }
    if next.events.maxBytes != configuration.events.maxBytes { names.append("events.maxBytes") }
    return names.map { "\($0) takes effect at the next start; until then the old value stays" }
  }

  /// What runs goes on, so that the next reload compares with it again.
  private func keepUnreloadable(in next: inout Configuration) {
    next.proxy.listen = configuration.proxy.listen
    next.proxy.workers = configuration.proxy.workers
    next.proxy.via = configuration.proxy.via
    next.admin = configuration.admin
    next.state = configuration.state
    next.events.maxRows = configuration.events.maxRows
    next.events.maxBytes = configuration.events.maxBytes
  }

  private func noteConfiguration(_ file: ConfigurationFile, at now: Int64) {
    configurationReport.path = file.path
    configurationReport.hash = ContentHash.text(file.content)
    configurationReport.loadedAt = now
  }
}
