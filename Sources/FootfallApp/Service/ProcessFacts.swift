import AdminAPI
import Glibc

/// What the system knows about this process (proc(5)).
enum ProcessFacts {
  /// The figures of now; a figure that cannot be had is 0.
  static func read(startedAtMilliseconds: Int64) -> MetricsSnapshot.Process {
    var process = MetricsSnapshot.Process()
    process.startTimeSeconds = Double(startedAtMilliseconds) / 1000
    var usage = rusage()
    if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
      process.cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      process.maximumDescriptors = UInt64(limit.rlim_cur)
    }
    process.residentBytes = residentPages() * UInt64(clamping: sysconf(Int32(_SC_PAGESIZE)))
    process.openDescriptors = openDescriptors()
    return process
  }

  /// The version of the system's kernel; empty when the system does not tell.
  static var systemVersion: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "" }
    return withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// The process id.
  static var identifier: Int32 { getpid() }

  /// Raises the soft limit of open descriptors to the hard one, because each connection takes one or two.
  static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// How many clients there are descriptors for: some are kept for origins, files and the admin endpoint.
  static var connectionRoom: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
    let descriptors = Int(clamping: limit.rlim_cur)
    return max(descriptors - min(64, descriptors / 4), 1)
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000 }

  private static func residentPages() -> UInt64 {
    guard case .content(let bytes) = ProcessFiles.read("/proc/self/statm") else { return 0 }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return words.count > 1 ? UInt64(words[1]) ?? 0 : 0
  }

  private static func openDescriptors() -> UInt64 {
    guard let directory = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(directory) }
    var count: UInt64 = 0
    while readdir(directory) != nil { count += 1 }
    // Without ".", ".." and the directory's own descriptor.
    return count > 3 ? count - 3 : 0
  }
}
