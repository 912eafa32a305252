import HTTPWire

/// The requests in a stream of bytes, up to the first that is refused, incomplete or the last of its connection.
struct RequestStream {
  struct Message {
    var method: [UInt8]
    var target: [UInt8]
    var minorVersion: UInt8
    var fields: [(name: [UInt8], value: [UInt8])]
    /// Why the target is none that is forwarded; empty for a good one, and for `*` and a path, which are answered here.
    var targetFault = ""
    var body: [UInt8] = []
    var isComplete = false
  }

  private(set) var messages: [Message] = []
  /// `open`: more may come; `closed`: nothing more is read from this connection; `refused`.
  private(set) var end = "open"
  private var fault = ""

  init(_ bytes: [UInt8], _ parser: HeadParser) {
    var rest = bytes[...]
    while end == "open", !rest.isEmpty {
      let taken = next(Array(rest), parser)
      if taken == 0 { return }
      rest = rest.dropFirst(taken)
    }
  }

  /// Reads one request from the first of the bytes; 0 when the stream ends with it.
  private mutating func next(_ bytes: [UInt8], _ parser: HeadParser) -> Int {
    var head = RequestHead()
    let outcome = bytes.withUnsafeBufferPointer { buffer in
      buffer.baseAddress.map { parser.parseRequest($0, buffer.count, into: &head) } ?? .incomplete
    }
    switch outcome {
    case .incomplete: return 0
    case .refused(let fault):
      refuse(fault)
      return 0
    case .complete: break
    }
    var message = Message(
      method: Array(bytes[head.start..<head.start + head.methodLength]),
      target: Array(bytes[head.targetStart..<head.targetStart + head.targetLength]), minorVersion: head.minorVersion,
      fields: (0..<head.fields.count).map { index in
        let line = parser.lines[index]
        return (
          Array(bytes[Int(line.nameStart)..<Int(line.nameStart + line.nameLength)]),
          Array(bytes[Int(line.valueStart)..<Int(line.valueStart + line.valueLength)])
        )
      })
    message.targetFault = targetFault(message.target, head.method)
    defer { messages.append(message) }
    let body = Array(bytes[head.length...])
    var taken = head.length
    // What follows a CONNECT belongs to the tunnel, whatever its fields say (RFC 9110, section 9.3.6).
    switch head.method == .connect ? .none : head.body {
    case .none: message.isComplete = true
    case .length(let length):
      message.body = Array(body.prefix(Int(clamping: length)))
      message.isComplete = Int64(message.body.count) == length
      taken += message.body.count
    case .chunked, .untilClose:
      var stream = ChunkedStream(output: .decoded)
      var copy = body
      let result = copy.withUnsafeMutableBufferPointer { buffer in
        buffer.baseAddress.map { stream.process($0, buffer.count) }
      }
      message.body = Array(copy.prefix(result?.produced ?? 0))
      message.isComplete = stream.isFinished
      taken += result?.consumed ?? 0
      if let fault = result?.fault { refuse(fault) }
    }
    if message.isComplete, !head.wantsKeepAlive || head.method == .connect { end = "closed" }
    return message.isComplete ? taken : 0
  }

  /// What the proxy's next step says of a target that is to be forwarded.
  private func targetFault(_ target: [UInt8], _ method: Method) -> String {
    guard method == .connect || target.first != UInt8(ascii: "/") && target != [UInt8(ascii: "*")] else { return "" }
    var subject = OutputBuffer(capacity: TargetParser.subjectCapacity(target.count))
    defer { subject.deallocate() }
    let fault = target.withUnsafeBufferPointer { buffer -> TargetFault? in
      guard let start = buffer.baseAddress else { return .malformed }
      if method == .connect {
        var authority = Authority()
        return TargetParser.parseAuthority(start, buffer.count, subject: &subject, into: &authority)
      }
      var url = CanonicalURL()
      return TargetParser.parseAbsolute(start, buffer.count, fragment: .refuse, subject: &subject, into: &url)
    }
    return fault.map { "\($0)" } ?? ""
  }

  private mutating func refuse(_ fault: WireFault) {
    end = "refused"
    self.fault = "\(fault)"
  }

  /// One line.
  var json: String {
    let list = messages.map { message in
      let fields = message.fields.map { "[\"\(hexadecimal($0.name))\",\"\(hexadecimal($0.value))\"]" }
      return "{\"method\":\"\(hexadecimal(message.method))\",\"target\":\"\(hexadecimal(message.target))\","
        + "\"targetFault\":\"\(message.targetFault)\",\"minor\":\(message.minorVersion),\"fields\":[\(fields.joined(separator: ","))],"
        + "\"body\":\"\(hexadecimal(message.body))\",\"complete\":\(message.isComplete)}"
    }
    return "{\"messages\":[\(list.joined(separator: ","))],\"end\":\"\(end)\",\"fault\":\"\(fault)\"}"
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
