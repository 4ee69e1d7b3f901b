/// The kinds of octets of a TLS stream.
struct RecordKinds: OptionSet {
  let rawValue: UInt8
  /// Records of handshake and change_cipher_spec.
  static let handshake = RecordKinds(rawValue: 1 << 0)
  /// Opened records of application data.
  static let opened = RecordKinds(rawValue: 1 << 1)
  /// Unopened records of application data.
  static let unopened = RecordKinds(rawValue: 1 << 2)
  /// Alerts and unknown octets.
  static let other = RecordKinds(rawValue: 1 << 3)
}

/// The segments of one direction with incomplete records, oldest first.
///
/// Each segment is charged when all its octets are known.
struct SegmentShares {
  /// A segment.
  struct Share {
    /// The position of its first octet.
    var start: StreamPosition
    /// The position after its last octet.
    var end: StreamPosition
    /// The packet that brought it.
    var arrival: SegmentArrival
    /// The known kinds of its octets.
    var kinds: RecordKinds = []
    /// The range of its data in the application's stream.
    var content = 0..<0
  }

  private var newest = Share(start: 0, end: 0, arrival: .none)
  private var hasNewest = false
  private var older = IndexRing<Share>()

  /// The number of segments.
  var count: Int { hasNewest ? older.count + 1 : 0 }
  /// Octets of memory on the heap.
  var memory: Int { older.memory }

  /// The segment at an index, the oldest at 0.
  subscript(index: Int) -> Share { index == older.count ? newest : older[index] }

  /// Changes the segment at an index. An accessor that yields one of two values would take memory for each call.
  @inline(__always)
  private mutating func change(_ index: Int, _ body: (inout Share) -> Void) {
    if index == older.count { body(&newest) } else { body(&older[index]) }
  }

  /// Extends the content of the segment at an index, which has none yet or ends where the range begins.
  mutating func extendContent(_ index: Int, _ range: Range<Int>) {
    change(index) { $0.content = ($0.content.isEmpty ? range : $0.content).lowerBound..<range.upperBound }
  }

  /// Adds the next segment, unless it is the rest of a segment that could not be read at once.
  ///
  /// Beyond the limit, new segments extend the last one. Returns the octets of headers that then have no owner.
  mutating func append(_ range: Range<StreamPosition>, _ arrival: SegmentArrival, limit: Int) -> Int {
    if hasNewest, newest.arrival.ordinal == arrival.ordinal, newest.start <= range.lowerBound,
      range.upperBound <= newest.end
    {
      return 0
    }
    if count >= limit {
      newest.end = range.upperBound
      return arrival.overhead
    }
    if hasNewest { older.append(newest) }
    newest = Share(start: range.lowerBound, end: range.upperBound, arrival: arrival)
    hasNewest = true
    return 0
  }

  /// Marks the kinds of a range's octets.
  mutating func mark(_ range: Range<StreamPosition>, _ kinds: RecordKinds) {
    for index in 0..<count where self[index].start < range.upperBound && self[index].end > range.lowerBound {
      change(index) { $0.kinds.formUnion(kinds) }
    }
  }

  /// Removes and returns the oldest segment if it ends before or at a position.
  mutating func removeFirst(through position: StreamPosition) -> Share? {
    guard hasNewest, self[0].end <= position else { return nil }
    let first = self[0]
    if older.isEmpty {
      hasNewest = false
    } else {
      older.removeFirst()
      older.releaseIfEmpty()
    }
    return first
  }
}
