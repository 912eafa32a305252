/// Prefix trees over byte strings, many in one pair of arrays: a look-up costs a step per branching on its way, however
/// many keys there are.
///
/// The children of a node are neighbours and sorted by their first byte. Built once, then only read.
struct RadixForest: Sendable {
  struct Node: Sendable {
    var labelStart: UInt32
    /// No key is longer than `PrefixText.longest` with each byte escaped.
    var labelLength: UInt16
    var childCount: UInt16
    var firstChild: UInt32
    /// The index of the key that ends here, or -1.
    var key: Int32
  }

  /// A key: its place in the order of insertion and the longest other key of the tree that is a prefix of it.
  struct Key: Sendable {
    var parent: Int32
  }

  private(set) var nodes: [Node] = []
  /// The byte that leads to each node from its parent, at the node's index. It is not in the node's label.
  private var firstBytes: [UInt8] = []
  private var labels: [UInt8] = []
  private(set) var keys: [Key] = []

  /// Adds a tree of keys that differ from each other; keys[i] gets the index `firstKey + i` of the forest's keys.
  ///
  /// - Returns: The tree's root.
  mutating func addTree(_ newKeys: [ArraySlice<UInt8>]) -> UInt32 {
    struct Work {
      var node: Int
      var range: Range<Int>
      var depth: Int
      var parentKey: Int32
    }
    let firstKey = keys.count
    keys.append(contentsOf: newKeys.map { _ in Key(parent: -1) })
    let order = newKeys.indices.sorted { newKeys[$0].lexicographicallyPrecedes(newKeys[$1]) }
    func byte(_ rank: Int, _ depth: Int) -> UInt8 { newKeys[order[rank]][newKeys[order[rank]].startIndex + depth] }

    let root = appendNode(firstByte: 0)
    var queue = [Work(node: root, range: 0..<order.count, depth: 0, parentKey: -1)]
    var next = 0
    while next < queue.count {
      var work = queue[next]
      next += 1
      guard let first = work.range.first, let last = work.range.last else { continue }
      // The keys are sorted, so what the first and the last share, all share.
      let shortest = min(newKeys[order[first]].count, newKeys[order[last]].count)
      var end = work.depth
      while end < shortest, byte(first, end) == byte(last, end) { end += 1 }
      nodes[work.node].labelStart = UInt32(labels.count)
      nodes[work.node].labelLength = UInt16(end - work.depth)
      let key = newKeys[order[first]]
      labels.append(contentsOf: key[(key.startIndex + work.depth)..<(key.startIndex + end)])
      if key.count == end {
        let index = firstKey + order[first]
        keys[index].parent = work.parentKey
        nodes[work.node].key = Int32(index)
        work.parentKey = Int32(index)
        work.range = (first + 1)..<work.range.upperBound
      }
      nodes[work.node].firstChild = UInt32(nodes.count)
      var start = work.range.lowerBound
      while start < work.range.upperBound {
        let value = byte(start, end)
        var stop = start + 1
        while stop < work.range.upperBound, byte(stop, end) == value { stop += 1 }
        let child = appendNode(firstByte: value)
        nodes[work.node].childCount += 1
        queue.append(Work(node: child, range: start..<stop, depth: end + 1, parentKey: work.parentKey))
        start = stop
      }
    }
    return UInt32(root)
  }

  private mutating func appendNode(firstByte: UInt8) -> Int {
    nodes.append(Node(labelStart: 0, labelLength: 0, childCount: 0, firstChild: 0, key: -1))
    firstBytes.append(firstByte)
    return nodes.count - 1
  }

  /// The longest key of the tree that the text starts with, or -1.
  ///
  /// Pointers, because this runs once per request and bounds checks double its time. They stay inside: `text` is read before `count` only, node and label indices were made here.
  @inline(__always)
  func longestPrefix(_ root: UInt32, _ text: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    nodes.withUnsafeBufferPointer { nodes in
      labels.withUnsafeBufferPointer { labels in
        firstBytes.withUnsafeBufferPointer { firstBytes in
          var found: Int32 = -1
          var index = Int(root)
          var position = 0
          while true {
            let node = nodes[index]
            let length = Int(node.labelLength)
            if length > 0 {
              guard length <= count &- position, let label = labels.baseAddress,
                ByteRun.equal(text + position, label + Int(node.labelStart), length)
              else { return found }
              position &+= length
            }
            if node.key >= 0 { found = node.key }
            guard position < count, node.childCount > 0 else { return found }
            let wanted = text[position]
            let first = Int(node.firstChild)
            var child = -1
            if node.childCount <= 8 {
              var candidate = first
              let end = first &+ Int(node.childCount)
              while candidate < end {
                if firstBytes[candidate] == wanted {
                  child = candidate
                  break
                }
                candidate &+= 1
              }
            } else {
              var low = first
              var high = first &+ Int(node.childCount)
              while low < high {
                let middle = (low &+ high) / 2
                if firstBytes[middle] < wanted { low = middle &+ 1 } else { high = middle }
              }
              if low < first &+ Int(node.childCount), firstBytes[low] == wanted { child = low }
            }
            guard child >= 0 else { return found }
            index = child
            position &+= 1
          }
        }
      }
    }
  }
}
