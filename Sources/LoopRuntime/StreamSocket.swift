import CLibevent
import CLinux
import Glibc

/// What a read or a write on a socket came to.
package enum SocketOutcome: Int {
  /// Nothing now; the loop will tell.
  case wouldBlock = -1
  /// The connection is broken.
  case failed = -2
}

/// A connected (or connecting) stream socket on a loop: two libevent events in one allocation, direct recv and writev,
/// and a queue only for what the kernel would not take.
///
/// Subclasses get `readable()`, `writable()`, `drained()` and `deadlineReached()`; any of them may close the socket.
/// The socket keeps itself alive from `init` until `close()`.
open class StreamSocket {
  package let loop: EventLoop
  @usableFromInline package let descriptor: CInt
  @usableFromInline let memory: UnsafeMutableRawPointer
  @usableFromInline let readEvent: OpaquePointer
  @usableFromInline let writeEvent: OpaquePointer
  package private(set) var isReading = false
  package private(set) var isWriting = false
  package private(set) var isClosed = false
  private var output = PendingOutput()
  /// Bytes waiting for the kernel. A view, because a copy of the queue counts its references.
  package final var pending: (isEmpty: Bool, count: Int) { (output.isEmpty, output.count) }
  /// How much of the loop's count is this socket's.
  private var pendingHeld = 0

  /// Much came at once the last time: the next bytes are worth a pipe.
  package final var sendsInBulk = false

  /// When `deadlineReached` is called, nanoseconds on the monotonic clock; set through the loop.
  @usableFromInline package internal(set) var deadline = UInt64.max
  @usableFromInline var wheelMoment = UInt64.max
  var wheelSlot = -1
  var wheelNext: Unmanaged<StreamSocket>?
  var wheelPrevious: Unmanaged<StreamSocket>?

  /// Takes the descriptor over; `close()` closes it.
  package init(_ loop: EventLoop, descriptor: CInt) {
    self.loop = loop
    self.descriptor = descriptor
    let size = event_get_struct_event_size()
    memory = UnsafeMutableRawPointer.allocate(byteCount: size * 2, alignment: MemoryLayout<UInt64>.alignment)
    readEvent = OpaquePointer(memory)
    writeEvent = OpaquePointer(memory + size)
    // Retained until close(), because libevent holds the pointer as long as an event is assigned.
    let me = Unmanaged.passRetained(self).toOpaque()
    event_assign(
      readEvent, loop.base, descriptor, Int16(EV_READ | EV_PERSIST),
      { _, _, pointer in
        guard let pointer else { return }
        Unmanaged<StreamSocket>.fromOpaque(pointer).takeUnretainedValue().readable()
      }, me)
    event_assign(
      writeEvent, loop.base, descriptor, Int16(EV_WRITE | EV_PERSIST),
      { _, _, pointer in
        guard let pointer else { return }
        Unmanaged<StreamSocket>.fromOpaque(pointer).takeUnretainedValue().writable()
      }, me)
  }

  deinit { memory.deallocate() }

  /// There is something to read, or the end, or an error.
  open func readable() {}
  /// The kernel takes bytes again. The default sends what is pending and calls `drained()` or `writeFailed()`.
  open func writable() { flushPending() }
  /// Everything pending was handed to the kernel.
  open func drained() {}
  /// A pending write failed.
  open func writeFailed() {}
  /// The deadline has passed.
  open func deadlineReached() {}

  /// Asks for `readable()` or stops asking.
  package final func setReading(_ on: Bool) {
    guard on != isReading, !isClosed else { return }
    isReading = on
    if on { event_add(readEvent, nil) } else { event_del(readEvent) }
  }

  /// Asks for `writable()` or stops asking.
  package final func setWriting(_ on: Bool) {
    guard on != isWriting, !isClosed else { return }
    isWriting = on
    if on { event_add(writeEvent, nil) } else { event_del(writeEvent) }
  }

  /// The system has reported something to read, and `readable()` has not been called for it yet.
  package final var hasUnservedEvent: Bool { clinux_event_is_active(UnsafeRawPointer(readEvent)) != 0 }

  /// Reads at most `count` bytes: their number, 0 at the end of the stream, or a `SocketOutcome` raw value.
  package final func receive(_ buffer: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    while true {
      let received = recv(descriptor, buffer, count, 0)
      if received >= 0 { return received }
      switch errno {
      case EINTR: continue
      case EAGAIN: return SocketOutcome.wouldBlock.rawValue
      default: return SocketOutcome.failed.rawValue
      }
    }
  }

  /// Sends both pieces in order: at once as far as the kernel takes them, the rest from the queue. False when the
  /// connection is broken.
  package final func send(
    _ first: UnsafePointer<UInt8>, _ firstCount: Int, _ second: UnsafePointer<UInt8>? = nil, _ secondCount: Int = 0
  ) -> Bool {
    var written = 0
    if output.isEmpty {
      written = write(first, firstCount, second, secondCount)
      if written < 0 { return false }
      if written == firstCount &+ secondCount { return true }
    }
    if written < firstCount {
      output.append(first + written, firstCount - written)
      if let second { output.append(second, secondCount) }
    } else if let second {
      let offset = written - firstCount
      output.append(second + offset, secondCount - offset)
    }
    notePending()
    setWriting(true)
    return true
  }

  private func notePending() {
    let held = output.held
    loop.bytesHeld &+= held &- pendingHeld
    pendingHeld = held
  }

  private func write(
    _ first: UnsafePointer<UInt8>, _ firstCount: Int, _ second: UnsafePointer<UInt8>?, _ secondCount: Int
  ) -> Int {
    let result: Int
    if let second, secondCount > 0 {
      var parts = (
        iovec(iov_base: UnsafeMutableRawPointer(mutating: first), iov_len: firstCount),
        iovec(iov_base: UnsafeMutableRawPointer(mutating: second), iov_len: secondCount)
      )
      result = withUnsafeMutablePointer(to: &parts) {
        $0.withMemoryRebound(to: iovec.self, capacity: 2) { writev(descriptor, $0, 2) }
      }
    } else {
      result = Glibc.send(descriptor, first, firstCount, Int32(MSG_NOSIGNAL))
    }
    if result >= 0 { return result }
    return errno == EAGAIN || errno == EINTR ? 0 : SocketOutcome.failed.rawValue
  }

  /// Moves at most `count` bytes from another socket to this one inside the kernel; what this one does not take yet
  /// waits. Only when nothing is pending here.
  ///
  /// Returns how many were read, 0 at the end of the stream, or a `SocketOutcome`, and whether this socket is still
  /// sound.
  package final func relay(
    from source: StreamSocket, _ count: Int, through pool: TransferPipePool, _ pipe: TransferPipe
  ) -> (received: Int, isSound: Bool) {
    let received = pipe.fill(from: source.descriptor, min(count, TransferPipe.capacity))
    guard received > 0 else {
      pool.giveBack(pipe)
      return (received, true)
    }
    let sent = pipe.drain(to: descriptor)
    if pipe.held == 0 {
      pool.giveBack(pipe)
    } else if sent == SocketOutcome.failed.rawValue {
      pool.giveBack(pipe)
      return (received, false)
    } else {
      output.hold(pipe, of: pool)
      notePending()
      setWriting(true)
    }
    return (received, true)
  }

  /// Sends what is pending.
  package final func flushPending() {
    switch output.flush(to: descriptor, { write($0, $1, nil, 0) }) {
    case SocketOutcome.failed.rawValue:
      output.discard()
      notePending()
      setWriting(false)
      writeFailed()
    case ...0:
      notePending()
      setWriting(true)
    default:
      notePending()
      setWriting(false)
      drained()
    }
  }

  /// Tells the peer that nothing more will be sent.
  package final func shutdownWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes the socket and lets go of it. With `reset`, the peer sees an error instead of an end.
  open func close(reset: Bool = false) {
    guard !isClosed else { return }
    setReading(false)
    setWriting(false)
    isClosed = true
    loop.unschedule(self)
    output.discard()
    notePending()
    if reset {
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
    Glibc.close(descriptor)
    Unmanaged.passUnretained(self).release()
  }

  /// Sends what the kernel takes at once and closes the descriptor, which is no socket of a loop.
  package static func sendOnce(_ descriptor: CInt, _ bytes: UnsafePointer<UInt8>, _ count: Int) {
    _ = Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    shutdown(descriptor, Int32(SHUT_WR))
    // What has come already is taken, because closing on unread bytes would reset the connection and lose the answer.
    var scratch = (0 as UInt64, 0 as UInt64, 0 as UInt64, 0 as UInt64)
    withUnsafeMutableBytes(of: &scratch) { buffer in
      for _ in 0..<256 {
        guard recv(descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 else { break }
      }
    }
    Glibc.close(descriptor)
  }
}
