import AdminAPI
import AdminServer
import Effects
import HTTPWire

extension Property {
  /// The admin endpoint answers whatever it is sent with whole, framed answers whose JSON can be read, at most one per
  /// request, the same however the bytes are cut; and nothing is ordered without the token, POST and the JSON type.
  static let adminRequest = Property("admin-request") { bytes in
    try requireGuardedHost(bytes)
    let endpoint = try GuardedEndpoint.running()
    let (whole, orders) = try endpoint.exchange([bytes])
    let answers = try requireFramed(whole, answersTo: bytes)
    if orders > 0 {
      let lower = NaiveGrammar.lowercased(bytes)
      for word in ["bearer ", "application/json", "post /re"] {
        try require(lower.contains(word.utf8), "ordered without \(word)")
      }
      try require(bytes.contains(GuardedEndpoint.token.utf8), "ordered without the token")
    }
    let middle = bytes.count / 2
    let (cut, _) = try endpoint.exchange([Array(bytes[..<middle]), Array(bytes[middle...])])
    let cutAnswers = try requireFramed(cut, answersTo: bytes)
    try require(answers == cutAnswers, "cut \(shown(cut)), whole \(shown(whole))")
  }

  /// Splits a stream of answers; all but the interim ones.
  private static func requireFramed(_ stream: [UInt8], answersTo requests: [UInt8]) throws -> [[UInt8]] {
    var methods: [[UInt8]] = []
    var rest = requests
    while let head = try ReadHead.request(rest).head {
      methods.append(head.method)
      rest = Array(rest[head.length...].dropFirst(Int(clamping: max(0, head.contentLength))))
    }
    var answers: [[UInt8]] = []
    var unread = stream
    while !unread.isEmpty {
      guard let head = try ReadHead.response(unread).head else { throw Violation("no answer: \(shown(unread))") }
      let isHead = answers.count < methods.count && methods[answers.count].elementsEqual("HEAD".utf8)
      let length = head.length + (isHead || head.status == 100 ? 0 : Int(clamping: max(0, head.contentLength)))
      try require(length <= unread.count, "cut short: \(shown(unread))")
      let answer = Array(unread[..<length])
      unread.removeFirst(length)
      if head.status == 100 { continue }
      answers.append(answer)
      let isExpected = head.status == 200 || 400..<432 ~= head.status || 500..<506 ~= head.status
      try require(isExpected, "status \(head.status)")
      let type = head.fields.first { NaiveGrammar.equal($0.name, ignoringCase: "content-type") }
      if !isHead, let type, type.value.elementsEqual("application/json".utf8) {
        _ = try JSONReader().value(Array(answer[head.length...]))
      }
    }
    try require(answers.count <= methods.count + 1, "\(answers.count) answers to \(methods.count) requests")
    return answers
  }

  /// On a TCP port nothing passes under a foreign name.
  private static func requireGuardedHost(_ bytes: [UInt8]) throws {
    guard let head = try ReadHead.request(bytes).head else { return }
    func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    let request = AdminRequest(
      method: text(head.method), target: text(head.target),
      fields: head.fields.map { .init(text($0.name), text($0.value)) })
    let router = AdminRouter(policy: .tcp(address: "127.0.0.1", port: 8081, token: nil), context: GuardedEndpoint.idle)
    // What answers later has passed the guards.
    var answer = AdminResponse.json([:])
    if case .ready(let response) = router.respond(to: request) { answer = response }
    var hosts = head.fields.filter { $0.id == .host }.map { text(NaiveGrammar.lowercased($0.value)) }
    let target = NaiveGrammar.lowercased(head.target)
    if target.starts(with: "http://".utf8) {
      hosts.append(text(target.dropFirst(7).prefix { !"/?".utf8.contains($0) }))
    }
    let own = ["localhost:8081", "127.0.0.1:8081", "[::1]:8081"]
    let isOwn = !hosts.isEmpty && hosts.allSatisfy(own.contains)
    let code = answer.status == 403 ? try JSONReader().value(answer.body)["error"]?["code"]?.string : nil
    try require(isOwn || code == "hostNotAllowed", "host \(hosts) is answered with \(answer.status)")
  }
}
