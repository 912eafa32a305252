import CLibFuzzer
import Glibc
import Properties

/// The property that `FOOTFALL_PROPERTY` names.
private let property: Property = {
  let name = getenv("FOOTFALL_PROPERTY").map { String(cString: $0) } ?? ""
  guard let property = Property.named(name) else {
    complain("FOOTFALL_PROPERTY must be one of \(Property.all.map(\.name).joined(separator: " "))")
    exit(64)
  }
  return property
}()

private func complain(_ text: String) {
  let line = Array((text + "\n").utf8)
  _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// One input. A broken promise ends the process, which is how the engine learns of it.
@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
  do {
    try property.check(Array(UnsafeBufferPointer(start: data, count: size)))
  } catch {
    complain("broken promise: \(property.name): \(error)")
    abort()
  }
  return 0
}

/// What the package manager calls main of an executable target.
@_cdecl("fuzz_main")
func fuzzMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var count = count
  var arguments = arguments
  return LLVMFuzzerRunDriver(&count, &arguments) { testOneInput($0, $1) }
}
