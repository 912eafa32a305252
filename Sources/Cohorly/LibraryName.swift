/// What events say of the library that made them.
enum LibraryName {
  static let lib = "footfall-swift"
  static let version = "0.1.0"
}
