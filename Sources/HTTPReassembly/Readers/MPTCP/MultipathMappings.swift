import DequeModule

/// The places of a subflow's octets in the larger stream, for one direction (RFC 8684 §3.3.1).
struct MultipathMappings {
  /// A range of the subflow's positions, and what the larger stream's positions are more.
  private struct Mapping {
    var start: StreamPosition
    var end: StreamPosition
    var distance: Int
  }

  /// The mappings in order, without overlap.
  private var mappings: Deque<Mapping> = []

  /// The number of mappings that are kept, the latest ones. Those of one distance in a row are one.
  static let limit = 1024

  var isEmpty: Bool { mappings.isEmpty }

  /// Octets of its memory.
  var memory: Int { mappings.count * MemoryLayout<Mapping>.stride }

  /// Whether all octets from some place on have one distance.
  var isEndless: Bool { mappings.last?.end == .never }

  /// The index of the first mapping that ends after a position.
  private func index(endingAfter position: StreamPosition) -> Int {
    guard let last = mappings.last, last.end > position else { return mappings.count }
    var (low, high) = (0, mappings.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if mappings[middle].end <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a mapping. The first one of an octet counts. Returns false if another one contradicts it.
  mutating func add(_ range: Range<StreamPosition>, distance: Int) -> Bool {
    var agrees = true
    var from = range.lowerBound
    var index = index(endingAfter: from)
    while from < range.upperBound {
      if index < mappings.count, mappings[index].start <= from {
        if mappings[index].distance != distance { agrees = false }
        from = mappings[index].end
        index += 1
        continue
      }
      let to = min(range.upperBound, index < mappings.count ? mappings[index].start : .never)
      if index > 0, mappings[index - 1].end == from, mappings[index - 1].distance == distance {
        mappings[index - 1].end = to
      } else {
        mappings.insert(Mapping(start: from, end: to, distance: distance), at: index)
        index += 1
      }
      from = to
    }
    while mappings.count > Self.limit { mappings.removeFirst() }
    return agrees
  }

  /// The distance of the octet at a position, nil without a mapping, and the end of the octets for which it is the same.
  func place(of position: StreamPosition) -> (distance: Int?, end: StreamPosition) {
    let index = index(endingAfter: position)
    guard index < mappings.count else { return (nil, .never) }
    let mapping = mappings[index]
    return mapping.start <= position ? (mapping.distance, mapping.end) : (nil, mapping.start)
  }
}

/// The octets of the larger stream that one side acknowledged on a subflow, by the number of the segment.
struct DataAcknowledgments {
  private var known: Deque<(ordinal: Int, position: StreamPosition)> = []

  /// The number of acknowledgments that are kept, the latest ones.
  static let limit = 256

  /// Octets of its memory.
  var memory: Int { known.count * MemoryLayout<(Int, StreamPosition)>.stride }

  /// Takes the acknowledgment of a segment.
  mutating func note(_ position: StreamPosition, ordinal: Int) {
    guard known.last?.position != position else { return }
    known.append((ordinal, position))
    if known.count > Self.limit { known.removeFirst() }
  }

  /// The acknowledgment of a segment, or of the latest one before that had any; `.unknown` without.
  func position(at ordinal: Int) -> StreamPosition {
    if let last = known.last, last.ordinal <= ordinal { return last.position }
    var (low, high) = (0, known.count)
    while low < high {
      let middle = (low + high) / 2
      if known[middle].ordinal <= ordinal { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? known[low - 1].position : .unknown
  }
}
