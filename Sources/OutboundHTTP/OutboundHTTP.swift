package import Effects
package import LoopRuntime
import Synchronization

/// An HTTP/1.1 client on a loop of its own: connections that are kept, verified TLS, and every request with an end.
///
/// Follows no redirect, keeps no cookie, asks no proxy, whatever the environment says.
package final class OutboundHTTP: Transport {
  private let engine: LoopBound<OutboundEngine>
  private let mailbox: LoopMailbox
  private let thread: NativeThread
  private let isStopped = Mutex(false)

  /// Starts the loop's thread. No connection is made and no root is read before the first request.
  ///
  /// - Parameter resolver: looks the names up; it stays the caller's to stop.
  package init(_ options: OutboundOptions = OutboundOptions(), resolver: Resolver) throws(SystemError) {
    let loop = try EventLoop()
    let engine = OutboundEngine(loop, options, resolver)
    let bound = LoopBound(engine, on: loop)
    engine.reference = OutboundReference(bound, loop.mailbox)
    self.engine = bound
    mailbox = loop.mailbox
    thread = try NativeThread(name: "outbound") { bound.value.loop.run() }
  }

  deinit { stop() }

  package func send(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
    let message = try OutboundMessage(request)
    let call = OutboundCall()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        call.wait(waiter)
        if !submit({ $0.start(call, message) }) {
          call.finish(.failure(TransportError(.cancelled, "the transport is stopped")))
        }
      }
    } onCancel: {
      call.cancel()
      submit { $0.cancel(call) }
    }
    return try outcome.get()
  }

  /// Ends every request with `cancelled` and every connection, and the thread. A second call does nothing.
  package func stop() {
    let isFirst = isStopped.withLock { isStopped in
      guard !isStopped else { return false }
      isStopped = true
      post {
        $0.stop()
        $0.loop.stop()
      }
      return true
    }
    if isFirst { thread.join() }
  }

  /// Runs the job on the loop; false when the loop takes none any more. The lock puts each job either before the one
  /// that stops the loop or nowhere.
  @discardableResult
  private func submit(_ job: @escaping @Sendable (OutboundEngine) -> Void) -> Bool {
    isStopped.withLock { isStopped in
      guard !isStopped else { return false }
      post(job)
      return true
    }
  }

  private func post(_ job: @escaping @Sendable (OutboundEngine) -> Void) {
    mailbox.post { [engine] in job(engine.value) }
  }
}
