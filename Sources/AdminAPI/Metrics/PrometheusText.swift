/// The Prometheus text exposition format, version 0.0.4.
package enum PrometheusText {
  package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// All families that have samples, each with its HELP and TYPE line.
  package static func render(_ families: [MetricFamily]) -> String {
    var text = ""
    for family in families where !family.samples.isEmpty {
      text += "# HELP \(family.name) \(escaped(family.help, quotes: false))\n"
      text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
      for sample in family.samples {
        text += family.name + sample.suffix
        if !sample.labels.isEmpty {
          let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
          text += "{\(labels.joined(separator: ","))}"
        }
        text += " \(number(sample.value))\n"
      }
    }
    return text
  }

  static func number(_ value: MetricFamily.Value) -> String {
    switch value {
    case .count(let count): String(count)
    case .measure(let measure) where measure.isNaN: "NaN"
    case .measure(let measure) where measure.isInfinite: measure < 0 ? "-Inf" : "+Inf"
    case .measure(let measure): "\(measure)"
    }
  }

  /// A help text escapes the backslash and the line feed, a label value also the quotation mark.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
