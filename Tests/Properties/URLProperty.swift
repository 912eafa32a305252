import HTTPWire
import TestKit

/// A URL as the parser reads it, copied out.
private struct ReadURL: Equatable {
  var subject: [UInt8] = []
  var url = CanonicalURL()

  var host: [UInt8] { Array(subject[url.hostStart..<url.hostStart + url.hostLength]) }

  static func absolute(_ bytes: [UInt8], _ fragment: FragmentPolicy) throws -> Result<ReadURL, TargetFault> {
    try GuardedBytes.with(bytes) { guarded in
      var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(bytes.count))
      defer { subject.deallocate() }
      var read = ReadURL()
      let fault = TargetParser.parseAbsolute(
        UnsafePointer(guarded.start), guarded.count, fragment: fragment, subject: &subject, into: &read.url)
      try require(!subject.overflowed && subject.count <= subject.capacity, "the subject overflowed")
      if let fault { return .failure(fault) }
      read.subject = Array(UnsafeBufferPointer(start: subject.base, count: subject.count))
      return .success(read)
    }
  }

  static func authority(_ bytes: [UInt8]) throws -> (subject: [UInt8], authority: Authority)? {
    try GuardedBytes.with(bytes) { guarded in
      var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(bytes.count))
      defer { subject.deallocate() }
      var authority = Authority()
      let start = UnsafePointer(guarded.start)
      guard TargetParser.parseAuthority(start, guarded.count, subject: &subject, into: &authority) == nil else {
        return nil
      }
      return (Array(UnsafeBufferPointer(start: subject.base, count: subject.count)), authority)
    }
  }
}

extension Property {
  /// The canonical form is a fixed point, its host and port are those that a naive reading finds, and path and query are
  /// passed on as sent.
  static let url = Property("url") { bytes in
    let cut = try ReadURL.absolute(bytes, .cut)
    let refused = try ReadURL.absolute(bytes, .refuse)
    if case .success(let read) = refused { try require(cut == .success(read), "a fragment in \(read)?") }
    if case .failure(let fault) = refused, case .success = cut {
      try require(fault == .fragment, "\(fault), but cut it is \(cut)")
    }
    let naive = NaiveURL(bytes)
    if case .success(let read) = cut {
      guard let naive else { throw Violation("naively no URL: \(shown(bytes)) is \(read)") }
      try require(read.host == naive.host && read.url.port == naive.port, "\(shown(read.subject)) for \(naive)")
      try require(read.url.isSecure == naive.isSecure, "\(read) for \(naive)")
      try requireParts(read, bytes)
      let again = try ReadURL.absolute(read.subject, .refuse)
      guard case .success(let second) = again else { throw Violation("\(shown(read.subject)) gives \(again)") }
      try require(second.subject == read.subject, "\(shown(read.subject)) becomes \(shown(second.subject))")
      try require(second.url.isAmbiguous == read.url.isAmbiguous, "the second reading sees other dot segments")
      try require(second.host == read.host && second.url.port == read.url.port, "the host changed: \(second)")
    } else {
      try require(naive == nil, "\(cut) but naively \(String(describing: naive))")
    }
    if let (subject, authority) = try ReadURL.authority(bytes) {
      guard let (host, port) = NaiveGrammar.hostAndPort(bytes), let port else { throw Violation("no host and port") }
      try require(subject == NaiveGrammar.lowercased(host) + Array(":\(authority.port)".utf8), shown(subject))
      try require(NaiveGrammar.port(port) == authority.port, "port \(authority.port) of \(shown(bytes))")
      let absolute = try ReadURL.absolute(Array("http://".utf8) + bytes, .refuse)
      guard case .success(let read) = absolute else { throw Violation("\(absolute) as URL") }
      try require(read.url.port == authority.port && read.host == NaiveGrammar.lowercased(host), "\(read)")
    }
  }

  private static func requireParts(_ read: ReadURL, _ bytes: [UInt8]) throws {
    let url = read.url
    try require(read.subject.allSatisfy { 0x21...0x7e ~= $0 }, "not printable ASCII: \(shown(read.subject))")
    try require(url.length == read.subject.count && url.pathLength >= 1, "\(url)")
    try require(url.originLength + url.pathLength <= url.length, "\(url)")
    try require(url.hostStart + url.hostLength <= url.originLength, "\(url)")
    try require(read.subject[url.originLength] == 0x2f, "no path: \(shown(read.subject))")
    try require(
      read.subject[url.originLength..<url.originLength + url.pathLength].allSatisfy { $0 != 0x3f }, "? in the path")
    try require(url.rawPathStart + url.rawPathLength <= bytes.count, "\(url)")
    // Path and query as sent are those of the subject, but for the missing slash and the bytes that are escaped.
    let raw = bytes[url.rawPathStart..<url.rawPathStart + url.rawPathLength]
    var escaped: [UInt8] = raw.first == 0x2f ? [] : [0x2f]
    for byte in raw {
      let digits = Array("0123456789ABCDEF".utf8)
      escaped += byte < 0x80 ? [byte] : [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    try require(escaped.elementsEqual(read.subject[url.originLength...]), "path as sent \(shown(raw))")
  }
}

/// An absolute http or https URL cut at the places that RFC 3986, appendix B, names.
private struct NaiveURL {
  var isSecure: Bool
  var host: [UInt8]
  var port: UInt16

  init?(_ bytes: [UInt8]) {
    guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return nil }
    let lower = NaiveGrammar.lowercased(bytes)
    isSecure = lower.starts(with: "https://".utf8)
    guard isSecure || lower.starts(with: "http://".utf8) else { return nil }
    let authority = lower.dropFirst(isSecure ? 8 : 7).prefix { !"/?#".utf8.contains($0) }
    guard let (host, port) = NaiveGrammar.hostAndPort(Array(authority)) else { return nil }
    self.host = host
    if let port, !port.isEmpty {
      guard let number = NaiveGrammar.port(port) else { return nil }
      self.port = number
    } else {
      self.port = isSecure ? 443 : 80
    }
  }
}
