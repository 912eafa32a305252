import AdminAPI
import Effects
import FootfallApp
import Synchronization
import Testing

/// An admin endpoint that takes the orders of the backends, and notes what was asked of it.
struct OrderedBackends {
  final class Asked: Sendable {
    let lines = Mutex<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  static let eventID = "0199f0c2-5d3a-7e11-8a55-0123456789ab"

  static func orders(_ asked: Asked, isComplete: Bool = true, letters: Int = 1) -> BackendOrders {
    BackendOrders(
      trackVisit: { params, reply in
        asked.note("visit \(JSONWriter.text(.object(params)))")
        reply(
          .success(
            VisitReport(
              visitToken: RunningAdmin.visitorID, visitorToken: RunningAdmin.visitorID, isRegistered: true,
              createdAt: 0,
              expiresAt: 14_400_000)))
      },
      track: { name, properties, reply in
        asked.note("track \(name) \(JSONWriter.text(.object(properties)))")
        reply(.success(eventID))
      },
      attach: { user, reply in
        asked.note("attach \(user ?? "nobody")")
        reply(.success(()))
      },
      flush: { reply in
        asked.note("flush")
        reply(
          .success([
            FlushOutcome(
              backend: "ahoy", sent: 1200, dead: isComplete ? 0 : 2, remaining: isComplete ? 0 : 5,
              isComplete: isComplete, obstacle: isComplete ? nil : "status 503")
          ]))
      },
      deadLetters: { query, reply in
        asked.note("letters \(query.backend ?? "all") \(query.limit)")
        let letter = DeadLetterPage.Letter(
          number: 1, backend: "ahoy", id: eventID, time: 0, diedAt: 1000, reason: "too large\u{1b}[31m",
          isQueued: false,
          payload: "{}")
        reply(.success(DeadLetterPage(letters: letters == 0 ? [] : [letter], total: UInt64(letters))))
      },
      requeue: { ids, backend, reply in
        asked.note("requeue \(ids?.joined(separator: ",") ?? "all") \(backend ?? "all")")
        reply(.success(UInt64(ids?.count ?? 7)))
      }, cohorly: cohorly(asked))
  }

  static func cohorly(_ asked: Asked) -> CohorlyOrders {
    CohorlyOrders(
      identify: { id, reply in
        asked.note("identify \(id)")
        reply(
          .success(
            IdentityReport(
              distinctID: id, deviceID: RunningAdmin.visitorID, isAnonymous: false, isChanged: id != "user-same")))
      },
      people: { changes, reply in
        asked.note("people \(changes.map(text).joined(separator: " "))")
        reply(.success(changes.count))
      },
      flags: { reply in
        asked.note("flags")
        reply(.success(flags))
      },
      reloadFlags: { reply in
        asked.note("reload flags")
        reply(.success(flags))
      },
      reset: { flushFirst, reply in
        asked.note("reset cohorly" + (flushFirst ? " flush" : ""))
        reply(
          .success(IdentityReset(distinctID: RunningAdmin.visitorID, discarded: flushFirst ? 0 : 1200)))
      })
  }

  private static func text(_ change: PeopleChange) -> String {
    switch change {
    case .set(let members): "set \(JSONWriter.text(.object(members)))"
    case .setOnce(let members): "setOnce \(JSONWriter.text(.object(members)))"
    case .increment(let members): "increment \(JSONWriter.text(.object(members)))"
    case .unset(let names): "unset \(names.joined(separator: ","))"
    case .delete: "delete"
    }
  }

  static let flags = FlagsReport(
    policy: "networkFirst", distinctID: RunningAdmin.visitorID, isLoaded: true, evaluatedAt: 1000,
    lastError: "status 429\u{1b}[31m",
    flags: [
      .init(
        key: "banner", value: .text("blue"), isEnabled: true, variant: "blue", payload: ["color": "#00f"],
        source: .persistence, persistedAt: 0, ttlMilliseconds: 86_400_000),
      .init(key: "checkout\u{1b}[31m", value: .bool(true), isEnabled: true, source: .network),
    ],
    gates: [
      .init(
        rule: "api", flag: "banner", expected: .text("blue"), fallback: .bool(false), value: .text("blue"),
        source: .network, applies: true),
      .init(
        rule: "web", flag: "nope", expected: .bool(true), fallback: .bool(false), value: .bool(false),
        source: .fallback, applies: false),
    ])

  static func run(_ arguments: [String], _ asked: Asked = Asked(), isComplete: Bool = true, letters: Int = 1) throws
    -> CommandRun
  {
    let admin = try RunningAdmin(backends: Self.orders(asked, isComplete: isComplete, letters: letters))
    defer { admin.stop() }
    return CommandRun(arguments, configuration: admin.configuration())
  }
}
