import Foundation

/// The connections to a port that some process still holds.
enum OpenConnections {
  /// How many lead to that port of 127.0.0.1, seen from the side that made them.
  static func count(to port: UInt16) throws -> Int {
    let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
    let wanted = "0100007F:" + String(format: "%04X", port)
    return table.split(separator: "\n").count { line in
      let columns = line.split(separator: " ")
      // The remote address, and the inode of a socket that has a descriptor.
      return columns.count > 9 && columns[2] == wanted && columns[9] != "0"
    }
  }
}
