import AhoyTracker
import ClientFoundation
public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Where the Ahoy server is, what is told of this program, and how visits are kept.
///
/// Only ``environment`` and ``baseUrl`` are required:
///
/// ```swift
/// let configuration = Configuration(
///   environment: .init(platform: "Linux", appVersion: "1.0.2", osVersion: "12"),
///   baseUrl: URL(string: "https://your-server.com")!)
/// ```
public struct Configuration: Sendable {
  /// Sends a request and returns the answer.
  public typealias URLRequestHandler = @Sendable (URLRequest) async throws -> (Data, URLResponse)

  /// Makes the parameters of a visit: any value that can be encoded, by name.
  public typealias VisitParams = @Sendable () -> [String: any Encodable & Sendable]

  /// What the server is told about the program in each visit.
  public struct ApplicationEnvironment: Sendable, Hashable {
    /// What it runs on, such as `Linux`.
    public var platform: String
    /// Its version.
    public var appVersion: String
    /// The version of what it runs on.
    public var osVersion: String

    /// The three texts.
    public init(platform: String, appVersion: String, osVersion: String) {
      self.platform = platform
      self.appVersion = appVersion
      self.osVersion = osVersion
    }
  }

  /// The program, for the server.
  public var environment: ApplicationEnvironment
  /// Sends the requests. By default a `URLSession` that keeps no cookies and follows no redirects.
  public var urlRequestHandler: URLRequestHandler
  /// The site, with a path if it lies below one.
  public var baseUrl: URL
  /// Where the site has mounted Ahoy.
  public var ahoyPath: String
  /// Where events go, below ``ahoyPath``.
  public var eventsPath: String
  /// Where visits go, below ``ahoyPath``.
  public var visitsPath: String
  /// How long a visit lasts, in seconds from its creation; what happens in it does not prolong it. What is not above 0
  /// stands for the four hours of the default, infinity for a visit without end.
  public var visitDuration: TimeInterval
  /// Whether a visit is registered when one is needed. When off, it is up to you: a visit that you have registered stays
  /// the current one until you register the next.
  public var automaticVisitRenewal: Bool
  /// The parameters of each visit, such as `utm_source` or `referrer`; asked for when a visit is registered. Names in camel
  /// case are sent in snake case.
  public var visitParams: VisitParams?
  /// The `User-Agent`. A server takes a client for a bot, and drops what it sends with a 200, when this names no system
  /// such as Linux, or contains a word such as `bot`, `proxy`, `monitor` or `script`. Requests made by Foundation alone are
  /// dropped.
  public var userAgent: String
  /// How many events go into one request. The gem ignores, with a 200, what goes beyond its `max_events_per_request`.
  public var maximumEventsPerRequest: Int
  /// How many bytes a request of events has at most; the gem's `max_content_length`.
  public var maximumRequestBytes: Int
  /// Told of each event of ``Ahoy/track(_:properties:)`` that was given up, and why. Called on any thread.
  public var undeliveredEventHandler: (@Sendable (Event, any Error) -> Void)?

  /// A configuration; what is left out has the default that stands here.
  public init(
    environment: ApplicationEnvironment, urlRequestHandler: URLRequestHandler? = nil, baseUrl: URL,
    ahoyPath: String = "ahoy", eventsPath: String = "events", visitsPath: String = "visits",
    visitDuration: TimeInterval = 4 * 60 * 60, automaticVisitRenewal: Bool = true, visitParams: VisitParams? = nil,
    userAgent: String = "AhoySwift/1.0 (X11; Linux x86_64)", maximumEventsPerRequest: Int = 10,
    maximumRequestBytes: Int = 8192, undeliveredEventHandler: (@Sendable (Event, any Error) -> Void)? = nil
  ) {
    self.environment = environment
    self.urlRequestHandler = urlRequestHandler ?? { try await DefaultSession.data(for: $0) }
    self.baseUrl = baseUrl
    self.ahoyPath = ahoyPath
    self.eventsPath = eventsPath
    self.visitsPath = visitsPath
    self.visitDuration = visitDuration
    self.automaticVisitRenewal = automaticVisitRenewal
    self.visitParams = visitParams
    self.userAgent = userAgent
    self.maximumEventsPerRequest = maximumEventsPerRequest
    self.maximumRequestBytes = maximumRequestBytes
    self.undeliveredEventHandler = undeliveredEventHandler
  }

  var visitsURL: URL { endpoint(visitsPath) }
  var eventsURL: URL { endpoint(eventsPath) }

  var windowMilliseconds: Int64 { Self.windowMilliseconds(visitDuration) }

  static func windowMilliseconds(_ duration: TimeInterval) -> Int64 {
    duration == .infinity ? .max : VisitRecord.windowMilliseconds(seconds: duration) ?? 4 * 3_600_000
  }

  var limits: EventLimits {
    EventLimits(maximumEvents: max(1, maximumEventsPerRequest), maximumBytes: maximumRequestBytes)
  }

  private func endpoint(_ path: String) -> URL {
    [ahoyPath, path].flatMap { $0.split(separator: "/") }
      .reduce(baseUrl) { $0.appendingPathComponent(String($1), isDirectory: false) }
  }
}
