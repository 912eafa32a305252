import Effects
import Glibc

/// A thread of its own for work that blocks. It runs until its body returns.
struct WorkerThread: Sendable {
  private let thread: pthread_t

  /// Starts the thread.
  ///
  /// - Parameter name: what `top -H` and debuggers show; at most fifteen bytes.
  init(name: String, _ body: sending @escaping () -> Void) throws(StoreError) {
    let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setstacksize(&attributes, 512 * 1024)

    // Signals belong to the threads that run an event loop; a new thread inherits the mask of its creator.
    var all = sigset_t()
    var previous = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &previous)
    defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

    var created = pthread_t()
    let code = pthread_create(
      &created, &attributes,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
        nameCurrentThread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    guard code == 0 else {
      start.release()
      throw systemStoreError(code, "start the thread \(name)")
    }
    thread = created
  }

  /// Waits for the end of the body. Must be called exactly once.
  func join() { pthread_join(thread, nil) }
}

/// What crosses into the new thread, through the one pointer that C offers.
private final class ThreadStart {
  let name: String
  let body: () -> Void

  init(name: String, body: @escaping () -> Void) {
    self.name = name
    self.body = body
  }
}

/// pthread_setname_np(3) by hand: the Glibc module hides it. A nameless thread is no reason to fail.
private func nameCurrentThread(_ name: String) {
  let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard file >= 0 else { return }
  var name = name
  _ = name.withUTF8 { write(file, $0.baseAddress, min($0.count, 15)) }
  close(file)
}
