import Effects
import LoopRuntime
import ProxyCore

// What dials of one worker share: room at the origins, and look-ups.
extension Worker {
  /// The way to an origin, worked out once for each snapshot.
  func route(to origin: Origin, _ snapshot: InjectionSnapshot) -> Route {
    if origin.routeGeneration != snapshot.generation {
      origin.route = Route(to: origin.host, literal: origin.literal, port: origin.port, snapshot.settings)
      origin.routeGeneration = snapshot.generation
    }
    return origin.route
  }

  /// Whether another connection to the origin may be made now. Tunnels do not count, because one never comes free for
  /// another client; what a parent proxy takes is its own business.
  func hasRoom(at origin: Origin) -> Bool {
    origin.kind != .http || origin.taken < connectionShare && origin.waiting.isEmpty
  }

  /// A connection to the origin has gone, or a dial has come to nothing.
  func release(_ origin: Origin) {
    origin.release()
    if !origin.waiting.isEmpty { serveLater(origin) }
  }

  /// Gives the origin's free connections to those who wait, once the event at hand is over: it may still use what a new
  /// exchange would use too.
  func serveLater(_ origin: Origin) {
    guard !origin.isServedLater else { return }
    origin.isServedLater = true
    let parcel = LoopParcel((worker: self, origin: origin), on: loop)
    loop.mailbox.post {
      guard let content = parcel.take() else { return }
      content.worker.serveWaiting(content.origin)
    }
  }

  private func serveWaiting(_ origin: Origin) {
    origin.isServedLater = false
    while let dial = origin.waiting.first {
      guard let client = dial.client else {
        _ = origin.waiting.removeFirst()
        continue
      }
      if let connection = origin.takeIdle() {
        client.takeFreed(connection)
      } else if origin.taken < connectionShare {
        _ = origin.waiting.removeFirst()
        client.proceed(dial)
      } else {
        return
      }
    }
    origin.settle()
  }

  /// Looks a name up, unless that is under way; the client hears of the answer as long as the dial is its own.
  func lookUp(_ host: String, for dial: Dial) {
    if lookUps.join(host, dial) { ask(for: host, again: false) }
  }

  private func ask(for host: String, again: Bool) {
    let parcel = LoopParcel(self, on: loop)
    let mailbox = loop.mailbox
    shared.resolver.resolve(host) { answer in
      mailbox.post { parcel.take()?.answered(host, answer, again) }
    }
  }

  private func answered(_ host: String, _ answer: Resolver.Answer, _ again: Bool) {
    // Once, because what is idle may not be what the look-up lacks.
    if case .exhausted = answer, !again, makeRoom() { return ask(for: host, again: true) }
    let found: ResolverCache.Entry =
      switch answer {
      case .addresses(let addresses):
        addresses.isEmpty ? .failure(.nameNotFound) : .addresses(AddressRace.order(addresses))
      case .notFound: .failure(.nameNotFound)
      case .failed: .failure(.nameLookupFailed)
      case .exhausted: .failure(.outOfDescriptors)
      case .crowded: .failure(.overloaded)
      }
    let entry = resolved.store(found, for: host, at: EventLoop.nanoseconds())
    for dial in lookUps.finish(host) { dial.client?.resolved(entry, dial) }
  }
}
