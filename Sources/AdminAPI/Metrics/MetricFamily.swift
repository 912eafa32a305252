/// One metric with its samples, as the Prometheus text format groups them.
package struct MetricFamily: Sendable, Hashable {
  package enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  /// A whole number stays exact; 64 bits do not fit a double.
  package enum Value: Sendable, Hashable {
    case count(UInt64)
    case measure(Double)
  }

  package struct Label: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  package struct Sample: Sendable, Hashable {
    /// Appended to the family's name: `_bucket`, `_sum` and `_count` of a histogram, else empty.
    package var suffix: String
    package var labels: [Label]
    package var value: Value

    package init(suffix: String = "", labels: [Label] = [], _ value: Value) {
      self.suffix = suffix
      self.labels = labels
      self.value = value
    }
  }

  package var name: String
  package var help: String
  package var kind: Kind
  package var samples: [Sample]

  package init(_ name: String, _ kind: Kind, help: String, samples: [Sample]) {
    self.name = name
    self.kind = kind
    self.help = help
    self.samples = samples
  }
}
