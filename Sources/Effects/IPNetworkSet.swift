/// Many blocks at once: a look-up costs the logarithm of their number.
package struct IPNetworkSet: Sendable, Equatable {
  private struct Span: Sendable, Equatable {
    let first: UInt128
    var last: UInt128
  }

  /// Sorted, without overlaps.
  private let v4: [Span]
  private let v6: [Span]

  package init(_ networks: [IPNetwork] = []) {
    v4 = IPNetworkSet.spans(networks.filter { !$0.address.isIPv6 })
    v6 = IPNetworkSet.spans(networks.filter(\.address.isIPv6))
  }

  package var isEmpty: Bool { v4.isEmpty && v6.isEmpty }

  /// Whether the address, or the IPv4 address that it stands for, is in one of the blocks.
  package func contains(_ address: IPAddress) -> Bool {
    let plain = address.unmapped
    let spans = plain.isIPv6 ? v6 : v4
    let bits = plain.bits
    var low = 0
    var high = spans.count
    while low < high {
      let middle = (low &+ high) / 2
      if spans[middle].first <= bits { low = middle &+ 1 } else { high = middle }
    }
    return low > 0 && bits <= spans[low &- 1].last
  }

  private static func spans(_ networks: [IPNetwork]) -> [Span] {
    var spans: [Span] = []
    for network in networks.sorted(by: { $0.address.bits < $1.address.bits }) {
      // Blocks are nested or apart, so one that begins inside another ends there too.
      if let last = spans.last, network.address.bits <= last.last {
        if network.lastBits > last.last { spans[spans.count &- 1].last = network.lastBits }
      } else {
        spans.append(Span(first: network.address.bits, last: network.lastBits))
      }
    }
    return spans
  }
}
