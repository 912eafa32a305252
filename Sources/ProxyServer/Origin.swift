import Effects
import HTTPWire
import LoopRuntime
import ProxyCore

/// One place that a worker connects to: its pooled connections, how many it has in all, and who waits for one.
final class Origin {
  enum Kind {
    /// An http origin.
    case http
    /// The far end of one tunnel.
    case tunnel
    /// The parent proxy.
    case parent
  }

  /// Scheme, host and port as in the canonical URL, without the final slash.
  let key: [UInt8]
  let kind: Kind
  /// The host as the resolver takes it: an IPv6 literal without brackets.
  let host: String
  let port: UInt16
  /// The address that the host is, if it is one.
  let literal: IPAddress?
  /// Connections without a request, the last used at the end.
  var idle: [UpstreamConnection] = []
  /// Requests that wait until a connection is free.
  var waiting = WaitingLine<Dial>()
  /// Those who wait are served once the event at hand is over.
  var isServedLater = false
  /// Connections, idle ones too, and dials under way.
  private(set) var taken = 0
  /// Which way requests go, as of a generation of the snapshot.
  var route = Route.direct
  var routeGeneration = Int.min

  /// The table that keeps the origin; nil for one that nobody else uses.
  fileprivate unowned let table: OriginTable?
  fileprivate let hash: UInt64
  /// The next origin with the same hash.
  fileprivate var sibling: Origin?
  /// The neighbours among the unused ones; the table retains both.
  fileprivate unowned var before: Origin?
  fileprivate unowned var behind: Origin?
  fileprivate var isListed = false
  /// The table has the origin; not any more once it was forgotten, although somebody may still hold it.
  fileprivate var isKept = false

  fileprivate init(
    key: [UInt8], kind: Kind, host: String, port: UInt16, hash: UInt64 = 0, table: OriginTable? = nil
  ) {
    self.key = key
    self.kind = kind
    self.host = host
    self.port = port
    literal = SocketAddress.parse(host)
    self.hash = hash
    self.table = table
  }

  /// The far end of a tunnel, which no table keeps because its connection serves once.
  static func tunnel(host: String, port: UInt16) -> Origin { Origin(key: [], kind: .tunnel, host: host, port: port) }

  /// One connection, or a dial for one, more.
  func take() {
    taken += 1
    if taken == 1 { table?.use(self) }
  }

  /// One less.
  func release() {
    taken -= 1
    settle()
  }

  /// Lets the table forget the origin if nobody uses it or waits for it.
  func settle() {
    if taken == 0, waiting.isEmpty { table?.unuse(self) }
  }

  /// The last used idle connection that is still of use.
  func takeIdle() -> UpstreamConnection? {
    while let connection = idle.popLast() {
      if connection.isUsable { return connection }
      connection.close()
    }
    return nil
  }

  /// Why the endpoint must not be dialled for this origin; nil when it may. The operator has named the parent; it only
  /// must not be this proxy.
  func refusal(of endpoint: Endpoint, by destinations: DestinationPolicy) -> ProxyError? {
    kind == .parent ? destinations.loop(at: endpoint) : destinations.refusal(of: endpoint)
  }

  fileprivate func has(_ bytes: Bytes, _ count: Int) -> Bool {
    guard key.count == count else { return false }
    return key.withUnsafeBufferPointer { own in
      for index in 0..<count where own[index] != bytes[index] { return false }
      return true
    }
  }
}

/// The origins of a worker by their key; found without allocating. Those without any connection are forgotten, the
/// longest unused first, when there are too many.
final class OriginTable {
  private var table: [UInt64: Origin] = [:]
  private let seed: UInt64
  private let capacity: Int
  private(set) var count = 0
  /// The unused ones, the longest unused first.
  private unowned var first: Origin?
  private unowned var last: Origin?

  /// The seed is random, so that nobody can choose names that fall together.
  init(seed: UInt64, capacity: Int = 4096) {
    self.seed = seed
    self.capacity = capacity
  }

  /// The origin of a URL in its canonical form.
  func origin(_ subject: Bytes, _ url: CanonicalURL) -> Origin {
    let hash = hash(subject, url.originLength)
    if let found = find(subject, url.originLength, hash) { return found }
    return insert(
      Origin(
        key: Array(UnsafeBufferPointer(start: subject, count: url.originLength)), kind: .http,
        host: OriginTable.hostText(subject, url.hostStart, url.hostLength), port: url.port, hash: hash, table: self))
  }

  /// The parent proxy as a place to connect to.
  func parent(_ parent: ParentProxy) -> Origin {
    parent.key.withUnsafeBufferPointer { key in
      guard let bytes = key.baseAddress else {
        return Origin(key: [], kind: .parent, host: parent.host, port: parent.port)
      }
      let hash = hash(bytes, key.count)
      if let found = find(bytes, key.count, hash) { return found }
      return insert(
        Origin(key: parent.key, kind: .parent, host: parent.host, port: parent.port, hash: hash, table: self))
    }
  }

  /// Calls the body with each origin.
  func forEach(_ body: (Origin) -> Void) {
    for first in table.values {
      var next: Origin? = first
      while let origin = next {
        body(origin)
        next = origin.sibling
      }
    }
  }

  /// A host as the resolver takes it: an IPv6 literal loses its brackets.
  static func hostText(_ bytes: Bytes, _ start: Int, _ count: Int) -> String {
    var start = start
    var count = count
    if count > 2, bytes[start] == UInt8(ascii: "[") {
      start += 1
      count -= 2
    }
    return String(decoding: UnsafeBufferPointer(start: bytes + start, count: count), as: UTF8.self)
  }

  private func hash(_ bytes: Bytes, _ count: Int) -> UInt64 {
    var hash = 0xcbf2_9ce4_8422_2325 ^ seed
    for index in 0..<count { hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01b3 }
    return hash
  }

  private func find(_ bytes: Bytes, _ count: Int, _ hash: UInt64) -> Origin? {
    var found = table[hash]
    while let origin = found {
      if origin.has(bytes, count) { return origin }
      found = origin.sibling
    }
    return nil
  }

  private func insert(_ origin: Origin) -> Origin {
    // One in, one out: only those that nothing is connected to may go, so the table grows with the connections.
    if count >= capacity, let oldest = first { forget(oldest) }
    origin.sibling = table[origin.hash]
    table[origin.hash] = origin
    count += 1
    origin.isKept = true
    unuse(origin)
    return origin
  }

  private func forget(_ origin: Origin) {
    use(origin)
    origin.isKept = false
    count -= 1
    guard let head = table[origin.hash], head !== origin else {
      table[origin.hash] = origin.sibling
      return
    }
    var next: Origin? = head
    while let current = next {
      if current.sibling === origin { current.sibling = origin.sibling }
      next = current.sibling
    }
  }

  /// The origin has a connection now, or is about to.
  fileprivate func use(_ origin: Origin) {
    guard origin.isListed else { return }
    origin.isListed = false
    if let before = origin.before { before.behind = origin.behind } else { first = origin.behind }
    if let behind = origin.behind { behind.before = origin.before } else { last = origin.before }
    origin.before = nil
    origin.behind = nil
  }

  /// The origin has no connection any more.
  fileprivate func unuse(_ origin: Origin) {
    // One that is forgotten would be listed without being retained.
    guard origin.isKept, !origin.isListed else { return }
    origin.isListed = true
    origin.before = last
    if let last { last.behind = origin } else { first = origin }
    last = origin
  }
}
