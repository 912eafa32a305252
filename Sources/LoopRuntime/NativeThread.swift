import CLinux
import Glibc

/// A thread of the operating system. To be joined or detached: one that is neither keeps its stack for ever.
package struct NativeThread: Sendable {
  private let handle: pthread_t

  /// Starts a thread of that name (at most 15 characters) that runs the body once.
  package init(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // The box carries the closure through C's void pointer; the new thread takes the reference over.
    let box = Unmanaged.passRetained(Body(name: name, run: body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        let body = Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue()
        clinux_name_thread(body.name)
        body.run()
        return nil
      }, box.toOpaque())
    guard result == 0 else {
      box.release()
      throw SystemError("pthread_create", code: result)
    }
    handle = thread
  }

  /// Leaves the thread to itself: its memory is freed when the body has returned. Instead of ``join()``.
  package func detach() { pthread_detach(handle) }

  /// Waits until the body has returned. Call it once.
  package func join() { pthread_join(handle, nil) }

  private final class Body: Sendable {
    let name: String
    let run: @Sendable () -> Void
    init(name: String, run: @escaping @Sendable () -> Void) {
      self.name = name
      self.run = run
    }
  }
}
