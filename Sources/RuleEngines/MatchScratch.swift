import CPCRE2
import Glibc

/// What a PCRE2 search writes to: one per thread, made at its first search and freed when the thread ends.
///
/// Opaque and unmanaged pointers, because PCRE2 and thread-specific storage know nothing else; each is made in `init` or
/// `make` and freed in `deinit` or by the thread's destructor.
final class MatchScratch {
  /// The interpreter's memory for one search, in KiB.
  private static let heapLimit: UInt32 = 1024
  /// The interpreter's nesting.
  private static let depthLimit: UInt32 = 4000
  /// The machine code's stack, in bytes: at first and at most.
  private static let stackSizes = (32 << 10, 256 << 10)

  let matchData: OpaquePointer
  let context: OpaquePointer
  private let stack: OpaquePointer?
  private var lastStart: Int?
  private var steps: UInt32 = 0

  private init?() {
    guard let matchData = pcre2_match_data_create_8(1, nil) else { return nil }
    guard let context = pcre2_match_context_create_8(nil) else {
      pcre2_match_data_free_8(matchData)
      return nil
    }
    self.matchData = matchData
    self.context = context
    // Without it, machine code uses 32 KiB of the thread's own stack; the interpreter needs none.
    stack = pcre2_jit_stack_create_8(Self.stackSizes.0, Self.stackSizes.1, nil)
    pcre2_set_heap_limit_8(context, Self.heapLimit)
    pcre2_set_depth_limit_8(context, Self.depthLimit)
    if let stack { pcre2_jit_stack_assign_8(context, nil, UnsafeMutableRawPointer(stack)) }
  }

  deinit {
    pcre2_match_data_free_8(matchData)
    pcre2_match_context_free_8(context)
    if let stack { pcre2_jit_stack_free_8(stack) }
  }

  /// Sets what the next search may do.
  @inline(__always)
  func setLimits(steps: UInt32, lastStart: Int?) {
    if steps != self.steps {
      pcre2_set_match_limit_8(context, steps)
      self.steps = steps
    }
    if lastStart != self.lastStart {
      pcre2_set_offset_limit_8(context, lastStart ?? footfall_pcre2_unset())
      self.lastStart = lastStart
    }
  }

  /// The key of the thread-specific storage; nil when the process has used up its keys.
  private static let key: pthread_key_t? = {
    var key = pthread_key_t()
    let result = pthread_key_create(&key) { pointer in
      // Called once at the end of a thread that made a scratch, with what `make` stored.
      if let pointer { Unmanaged<MatchScratch>.fromOpaque(pointer).release() }
    }
    return result == 0 ? key : nil
  }()

  /// This thread's scratch; nil when there is no memory for one.
  @inline(__always)
  static func ofThisThread() -> MatchScratch? {
    guard let key else { return nil }
    if let pointer = pthread_getspecific(key) {
      return Unmanaged<MatchScratch>.fromOpaque(pointer).takeUnretainedValue()
    }
    return make(key)
  }

  private static func make(_ key: pthread_key_t) -> MatchScratch? {
    guard let scratch = MatchScratch() else { return nil }
    let pointer = Unmanaged.passRetained(scratch)
    guard pthread_setspecific(key, pointer.toOpaque()) == 0 else {
      pointer.release()
      return nil
    }
    return scratch
  }
}
