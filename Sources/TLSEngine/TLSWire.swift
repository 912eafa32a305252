import COpenSSL
import Glibc

/// The bytes between a session and its connection: what OpenSSL reads from and writes to in place of a socket.
///
/// What comes in is lent for one call and never copied here; what goes out is kept in one block until it is taken.
final class TLSWire {
  private var input: UnsafePointer<UInt8>?
  private(set) var inputCount = 0
  private var output: UnsafeMutablePointer<UInt8>?
  private var capacity = 0
  private(set) var outputCount = 0

  deinit { output?.deallocate() }

  /// Lends bytes until `withdraw`.
  func offer(_ bytes: UnsafePointer<UInt8>, _ count: Int) {
    input = bytes
    inputCount = count
  }

  /// Takes back what was lent.
  func withdraw() {
    input = nil
    inputCount = 0
  }

  /// The bytes that go out, and the block with them: they are gone afterwards.
  func takeOutput<R>(_ body: (UnsafePointer<UInt8>, Int) -> R) -> R? {
    guard let output else { return nil }
    let count = outputCount
    self.output = nil
    capacity = 0
    outputCount = 0
    defer { output.deallocate() }
    return count > 0 ? body(output, count) : nil
  }

  fileprivate func read(_ place: UnsafeMutableRawPointer, _ room: Int) -> Int {
    guard let bytes = input, inputCount > 0 else { return 0 }
    let count = min(room, inputCount)
    memcpy(place, bytes, count)
    input = bytes + count
    inputCount -= count
    return count
  }

  fileprivate func write(_ bytes: UnsafeRawPointer, _ count: Int) {
    if capacity - outputCount < count {
      let size = max(outputCount + count, capacity * 2, 512)
      let grown = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
      if let output {
        memcpy(grown, output, outputCount)
        output.deallocate()
      }
      output = grown
      capacity = size
    }
    guard let output else { return }
    memcpy(output + outputCount, bytes, count)
    outputCount += count
  }

  /// The BIO that reads from and writes to this wire, which has to outlive it; nil without memory.
  func makeBIO() -> OpaquePointer? {
    guard let method = TLSWire.method.table, let bio = BIO_new(method) else { return nil }
    // Unretained because the session owns both the wire and the BIO, and frees the BIO first.
    BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    BIO_set_init(bio, 1)
    return bio
  }

  /// The functions of the BIO. `@unchecked Sendable` because nothing changes the table once it is made.
  private struct Method: @unchecked Sendable {
    let table: OpaquePointer?
  }

  private static let method: Method = {
    let table = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "footfall")
    BIO_meth_set_read(table) { bio, place, room in
      footfall_bio_clear_retry(bio)
      guard let wire = TLSWire.of(bio), let place, room > 0 else { return -1 }
      let count = wire.read(place, Int(room))
      if count == 0 {
        // Never the end: whether the connection has ended is not this wire's to say.
        footfall_bio_wait_for_input(bio)
        return -1
      }
      return CInt(count)
    }
    BIO_meth_set_write(table) { bio, bytes, count in
      footfall_bio_clear_retry(bio)
      guard let wire = TLSWire.of(bio), let bytes, count >= 0 else { return -1 }
      wire.write(bytes, Int(count))
      return count
    }
    BIO_meth_set_ctrl(table) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return Method(table: table)
  }()

  private static func of(_ bio: OpaquePointer?) -> TLSWire? {
    BIO_get_data(bio).map { Unmanaged<TLSWire>.fromOpaque($0).takeUnretainedValue() }
  }
}
