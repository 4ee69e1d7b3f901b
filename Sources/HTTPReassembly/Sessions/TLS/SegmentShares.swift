/// What the octets of a TLS stream turn out to be.
struct RecordKinds: OptionSet {
  let rawValue: UInt8
  /// Records of handshake and change_cipher_spec.
  static let handshake = RecordKinds(rawValue: 1 << 0)
  /// Opened records of application data.
  static let opened = RecordKinds(rawValue: 1 << 1)
  /// Records of application data that were not opened.
  static let unopened = RecordKinds(rawValue: 1 << 2)
  /// Alerts, and what could not be told.
  static let other = RecordKinds(rawValue: 1 << 3)
}

/// The segments of one direction whose octets are not all known yet, because their records are not complete, oldest first: each is
/// charged when they are.
struct SegmentShares {
  /// A segment.
  struct Share {
    /// Position of its first octet.
    var start: StreamPosition
    /// Position after its last octet.
    var end: StreamPosition
    /// The packet.
    var arrival: SegmentArrival
    /// What is in it, as far as that is known.
    var kinds: RecordKinds = []
    /// The application's octets in it, in the application's stream.
    var content = 0..<0
  }

  private var newest = Share(start: 0, end: 0, arrival: .none)
  private var hasNewest = false
  private var older = IndexRing<Share>()

  /// Segments that are there.
  var count: Int { hasNewest ? older.count + 1 : 0 }
  /// Octets of memory that they take on the heap.
  var memory: Int { older.memory }

  /// A segment, the oldest at 0.
  subscript(index: Int) -> Share {
    @inline(__always) get { index == older.count ? newest : older[index] }
    @inline(__always) _modify {
      if index == older.count { yield &newest } else { yield &older[index] }
    }
  }

  /// Adds the next segment, unless it is the rest of one of which not all could be read at once. Of very many the last ones count as
  /// one. Returns the headers' octets that so belong to nobody.
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

  /// Octets of a range are of a kind.
  mutating func mark(_ range: Range<StreamPosition>, _ kinds: RecordKinds) {
    for index in 0..<count where self[index].start < range.upperBound && self[index].end > range.lowerBound {
      self[index].kinds.formUnion(kinds)
    }
  }

  /// Takes the oldest segment away if all that is in it comes before a position.
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
