import HTTPWire
import TestKit
import Testing

@Suite struct ChunkedStreamTests {
  @Test func passesACleanBodyUnmoved() throws {
    let text = "5¶hello¶A¶0123456789¶00f¶fifteen letters¶0¶¶"
    var bytes = message(text)
    var stream = ChunkedStream(output: .chunked)
    let count = bytes.count
    let result = bytes.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.map { stream.process($0, count) }
    }
    #expect(result == ChunkedStream.Result(consumed: count, produced: count, fault: nil))
    #expect(bytes == message(text))
    #expect(stream.isFinished)
    #expect(stream.trailerSection.isEmpty)
    #expect(stream.payloadBytes == 30)
  }

  @Test func decodesForAnOlderReceiver() throws {
    let run = try ChunkedRun("5;x¶hello¶1¶ ¶5¶world¶0;y¶T: v¶¶next", output: .decoded)
    #expect(run.sent == "hello world")
    #expect(run.isFinished && run.fault == nil && run.payload == 11)
    #expect(run.consumed == message("5;x¶hello¶1¶ ¶5¶world¶0;y¶T: v¶¶").count)
  }

  @Test func stopsAtTheEndOfTheMessage() throws {
    let run = try ChunkedRun("1¶a¶0¶¶GET / HTTP/1.1¶")
    #expect(run.sent == "1\r\na\r\n0\r\n\r\n")
    #expect(run.consumed == 11)
    var stream = ChunkedStream(output: .chunked)
    var rest = message("0¶¶GET")
    let results = rest.withUnsafeMutableBufferPointer { buffer -> [ChunkedStream.Result] in
      guard let start = buffer.baseAddress else { return [] }
      return [stream.process(start, 8), stream.process(start + 5, 3)]
    }
    #expect(results == [.init(consumed: 5, produced: 5, fault: nil), .init(consumed: 0, produced: 0, fault: nil)])
  }

  @Test(arguments: [
    "", "5", "5¶", "5¶hell", "5¶hello", "5¶hello\r", "5¶hello¶", "0", "0\r", "0¶", "0¶T", "0¶T: v¶", "0¶\r",
  ])
  func isNotFinishedByATruncatedBody(text: String) throws {
    let run = try ChunkedRun(text)
    #expect(!run.isFinished && run.fault == nil)
    #expect(run.consumed == message(text).count)
  }

  static let faulty: [(String, WireFault)] = [
    ("1zz¶Z¶0¶", .malformedChunkSize), ("1xyz¶a¶0¶", .malformedChunkSize), ("-1¶a", .malformedChunkSize),
    ("+1¶a", .malformedChunkSize), ("0x1¶a", .malformedChunkSize), ("x¶a", .malformedChunkSize),
    (" 1¶a", .malformedChunkSize), ("\t0¶", .malformedChunkSize), ("0_0¶", .malformedChunkSize),
    ("\r0¶", .malformedChunkSize), ("¶", .malformedChunkSize), (";x¶", .malformedChunkSize),
    ("1\na", .malformedChunkSize), ("\n1¶a", .malformedChunkSize), ("1\u{0}¶a", .malformedChunkSize),
    ("1 2¶a", .malformedChunkSize), ("1 x¶a", .malformedChunkSize), ("1,¶a", .malformedChunkSize),
    ("１¶a", .malformedChunkSize),
    ("8000000000000000¶", .malformedChunkSize), ("ffffffffffffffff¶", .malformedChunkSize),
    ("10000000000000000¶", .malformedChunkSize), ("00000000000000005¶hello", .malformedChunkSize),
    ("100000000000000005¶hello", .malformedChunkSize),
    ("1\rXa", .bareCarriageReturn), ("3;x\ny¶abc", .bareLineFeed), ("3;\n¶abc", .bareLineFeed),
    ("3;x\ry¶abc", .bareCarriageReturn), ("3 \n¶abc", .malformedChunkSize), ("3;\u{0}¶abc", .malformedChunkSize),
    ("3;\u{7f}¶abc", .malformedChunkSize),
    ("3¶abcd¶", .malformedChunkEnd), ("3¶abc\n0¶¶", .malformedChunkEnd), ("3¶abc\rX", .malformedChunkEnd),
    ("3¶abc0¶¶", .malformedChunkEnd), ("2¶abc¶0¶¶", .malformedChunkEnd),
    ("0¶\n", .malformedTrailer), ("0¶\rX", .malformedTrailer), ("0¶ X: y¶¶", .malformedTrailer),
    ("0¶X: y¶ z¶¶", .malformedTrailer), ("0¶X : y¶¶", .malformedTrailer), ("0¶: y¶¶", .malformedTrailer),
    ("0¶X¶¶", .malformedTrailer), ("0¶X: \u{0}¶¶", .malformedTrailer), ("0¶X: y\n\n", .malformedTrailer),
    ("0¶X: y\rZ: a¶¶", .malformedTrailer), ("0¶X: y¶\n", .malformedTrailer), ("0¶X: y¶\rX", .malformedTrailer),
    ("0¶GET / HTTP/1.1¶Host: h¶¶", .malformedTrailer), ("0¶Naïve: y¶¶", .malformedTrailer),
  ]

  @Test(arguments: faulty) func refusesFaultyBodiesAtEveryCut(text: String, fault: WireFault) throws {
    let bytes = message("2¶ok¶" + text)
    let whole = try ChunkedRun([bytes])
    #expect(whole.fault == fault)
    #expect(!whole.isFinished)
    for pieces in SplitFeeder.pieces(of: bytes) { #expect(try ChunkedRun(pieces) == whole) }
  }

  @Test func keepsRefusingAfterAFault() {
    var stream = ChunkedStream(output: .chunked)
    var bytes = message("x5¶hello¶0¶¶")
    let faults = bytes.withUnsafeMutableBufferPointer { buffer -> [WireFault?] in
      guard let start = buffer.baseAddress else { return [] }
      return [stream.process(start, 1).fault, stream.process(start + 1, 13).fault]
    }
    #expect(faults == [.malformedChunkSize, .malformedChunkSize])
    #expect(!stream.isFinished && stream.payloadBytes == 0)
  }

  @Test func takesSixteenDigitsUpToTheLargestInteger() throws {
    #expect(try ChunkedRun("7fffffffffffffff¶ab").payload == 2)
    #expect(try ChunkedRun("0000000000000002¶ab¶0000000000000000¶¶").isFinished)
    #expect(try ChunkedRun("7FFFffffFFFFffff¶ab").fault == nil)
  }

  static let extended: [(String, String)] = [
    ("5;a¶hello¶0¶¶", "5¶hello¶0¶¶"), ("5;a=b;c=\"d;e\"¶hello¶0;last¶¶", "5¶hello¶0¶¶"),
    ("5 ; a = b¶hello¶0¶¶", "5¶hello¶0¶¶"), ("5  ¶hello¶0\t¶¶", "5¶hello¶0¶¶"), ("5;¶hello¶0¶¶", "5¶hello¶0¶¶"),
    ("1¶a¶2;é¶bc¶3¶def¶0¶¶", "1¶a¶2¶bc¶3¶def¶0¶¶"),
  ]

  @Test(arguments: extended) func dropsExtensionsAtEveryCut(text: String, clean: String) throws {
    for pieces in SplitFeeder.pieces(of: message(text)) {
      let run = try ChunkedRun(pieces)
      #expect(run.output == message(clean))
      #expect(run.isFinished)
    }
  }

  @Test func boundsTheExtensionsOfAChunkAndOfABody() throws {
    let limits = ChunkLimits(extensions: 8, trailers: 64)
    #expect(try ChunkedRun("2;234567 ¶ok¶0¶¶", limits: limits).isFinished)
    #expect(try ChunkedRun("2;2345678 ¶ok¶0¶¶", limits: limits).fault == .chunkExtensionTooLong)
    #expect(try ChunkedRun("2        ¶ok¶0¶¶", limits: limits).isFinished)
    #expect(try ChunkedRun("2         ¶ok¶0¶¶", limits: limits).fault == .chunkExtensionTooLong)
    // All of them: 8 more than the data before them.
    #expect(try ChunkedRun("1;234¶a¶1;234¶a¶1;¶a¶0¶¶", limits: limits).isFinished)
    #expect(try ChunkedRun("1;234¶a¶1;234¶a¶1;23¶a¶0¶¶", limits: limits).fault == .chunkExtensionTooLong)
    // A body whose every size is padded is fine: the data outweighs it.
    let padded = String(repeating: "8     ¶8letters¶", count: 50) + "0¶¶"
    #expect(try ChunkedRun(padded, limits: limits).isFinished)
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func cleansRandomBodiesHoweverTheyAreCut(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<60 {
      var input: [UInt8] = []
      var clean: [UInt8] = []
      var data: [UInt8] = []
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        let chunk = (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let digits =
          String(repeating: "0", count: Int.random(in: 0...3, using: &random))
          + String(chunk.count, radix: 16, uppercase: Bool.random(using: &random))
        let extra = [String](arrayLiteral: "", "", ";x", " ;y=\"z\"", "  ").randomElement(using: &random) ?? ""
        input += message(digits + extra + "¶") + chunk + message("¶")
        clean += message(digits + "¶") + chunk + message("¶")
        data += chunk
      }
      let hasTrailers = Bool.random(using: &random)
      input += message(hasTrailers ? "0¶Content-Length: 9¶X-Sum: abc¶¶" : "0¶¶")
      clean += message(hasTrailers ? "0¶X-Sum: abc¶¶" : "0¶¶")
      let pieces = SplitFeeder.randomPieces(of: input, using: &random)
      let run = try ChunkedRun(pieces)
      #expect(run.output == clean)
      #expect(run.isFinished && run.consumed == input.count && run.payload == Int64(data.count))
      #expect(try ChunkedRun(pieces, output: .decoded).output == data)
      #expect(try ChunkedRun([clean]).output == clean)
    }
  }

  @Test(arguments: [4, 5] as [UInt64]) func survivesRandomDamageHoweverItIsCut(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let source = message("5;a=b¶hello¶1f¶0123456789abcdef0123456789abcde¶0;z¶X-T: v¶Host: h¶¶after")
    for _ in 0..<1500 {
      var bytes = source
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        if Bool.random(using: &random) {
          bytes[at] = [0x0d, 0x0a, 0x00, 0x30, 0x66, 0x3b, 0x20, 0x3a, 0xff].randomElement(using: &random) ?? 0
        } else {
          bytes.remove(at: at)
        }
      }
      let whole = try ChunkedRun([bytes])
      #expect(try ChunkedRun(SplitFeeder.randomPieces(of: bytes, using: &random)) == whole)
      // What came out clean goes through again untouched.
      if whole.isFinished { #expect(try ChunkedRun([whole.output]).output == whole.output) }
    }
  }

  @Test func encodesSizesForItsOwnReading() throws {
    var output = OutputBuffer(capacity: 64)
    defer { output.deallocate() }
    for size in [1, 15, 16, 255, 65536] {
      output.reset()
      ChunkedEncoder.appendHead(size: size, to: &output)
      let head = Array(UnsafeBufferPointer(start: output.base, count: output.count))
      #expect(head == Array((String(size, radix: 16) + "\r\n").utf8))
      let run = try ChunkedRun([head + [UInt8](repeating: 1, count: size) + message("¶0¶¶")])
      #expect(run.isFinished && run.payload == Int64(size))
    }
    output.reset()
    ChunkedEncoder.appendHead(size: 0, to: &output)
    ChunkedEncoder.appendHead(size: -1, to: &output)
    #expect(output.count == 0)
    output.append(ChunkedEncoder.end)
    #expect(try ChunkedRun([Array(UnsafeBufferPointer(start: output.base, count: output.count))]).isFinished)
  }
}
