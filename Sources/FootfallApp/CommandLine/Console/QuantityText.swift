/// Numbers in the form that people read.
package enum QuantityText {
  /// A whole number with commas between the thousands.
  package static func count(_ number: Int64) -> String {
    let digits = Array(String(number.magnitude))
    var text = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return text
  }

  /// Bytes in the largest binary unit below them.
  package static func bytes(_ number: Int64) -> String {
    var value = Double(number)
    for unit in ["B", "KiB", "MiB", "GiB", "TiB"] {
      if value.magnitude < 1024 || unit == "TiB" {
        return unit == "B" ? "\(number) B" : "\(tenths(value)) \(unit)"
      }
      value /= 1024
    }
    return "\(number) B"
  }

  /// A duration given in microseconds.
  package static func duration(microseconds: Int64) -> String {
    switch microseconds {
    case ..<1000: "\(microseconds) us"
    case ..<1_000_000: "\(tenths(Double(microseconds) / 1000)) ms"
    default: span(seconds: Double(microseconds) / 1_000_000)
    }
  }

  /// A span in its two largest units: `3 h 12 min`, `2 d 4 h`, `1.5 s`.
  package static func span(seconds: Double) -> String {
    guard seconds >= 60, seconds.isFinite else { return "\(tenths(max(0, seconds.isFinite ? seconds : 0))) s" }
    let whole = Int64(min(seconds, 1e15))
    let units: [(Int64, String)] = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")]
    for (index, (size, name)) in units.enumerated() where whole >= size {
      let first = "\(count(whole / size)) \(name)"
      guard index + 1 < units.count else { return first }
      let rest = whole % size / units[index + 1].0
      return rest == 0 ? first : "\(first) \(rest) \(units[index + 1].1)"
    }
    return "\(whole) s"
  }

  /// `1 tunnel`, `2 tunnels`.
  package static func counted(_ number: Int64, _ noun: String) -> String {
    "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
  }

  private static func tenths(_ value: Double) -> String {
    let scaled = Int64((min(value, 1e15) * 10).rounded())
    return scaled % 10 == 0 ? "\(scaled / 10)" : "\(scaled / 10).\((scaled % 10).magnitude)"
  }
}
