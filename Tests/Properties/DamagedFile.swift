/// How the bytes of an input damage a database that was sound.
///
/// The first byte chooses: an even one makes all the rest the main file; an odd one makes the rest a list of changes,
/// four bytes each, a place and a value, to the main file or (bit 1 set) to its log. With bit 2 set the first change cuts
/// the file there instead.
struct DamagedFile {
  var main: [UInt8]
  var log: [UInt8]

  init?(_ input: [UInt8], main: [UInt8], log: [UInt8]) {
    self.main = main
    self.log = log
    guard let choice = input.first else { return nil }
    if choice & 1 == 0 {
      self.main = Array(input.dropFirst())
      self.log = []
    } else if choice & 2 == 0 {
      self.main = Self.changed(main, input.dropFirst(), cuts: choice & 4 != 0)
      self.log = []
    } else {
      self.log = Self.changed(log, input.dropFirst(), cuts: choice & 4 != 0)
    }
  }

  private static func changed(_ bytes: [UInt8], _ changes: ArraySlice<UInt8>, cuts: Bool) -> [UInt8] {
    var bytes = bytes
    var rest = changes
    var isCut = !cuts
    while rest.count >= 4, !bytes.isEmpty {
      let change = Array(rest.prefix(4))
      rest = rest.dropFirst(4)
      let place = (Int(change[0]) << 16 | Int(change[1]) << 8 | Int(change[2])) % bytes.count
      if isCut {
        bytes[place] = change[3]
      } else {
        bytes.removeLast(bytes.count - place)
        isCut = true
      }
    }
    return bytes
  }
}
