/// The places of the application's octets in the TCP stream: the latest records of one direction, oldest first.
struct RecordMap {
  /// A record of application data, or the lost records between two others.
  struct PlacedRecord {
    /// The position of its header.
    var start: StreamPosition
    /// The position of its first octet in the application's stream.
    var content: StreamPosition
    /// The number of octets of the application's data.
    var count: UInt32
    /// The number of octets of the whole record.
    var length: UInt32
    /// The number of octets before the data.
    var leading: UInt8
    /// Whether the record was opened.
    var isOpened: Bool

    var end: StreamPosition { start + Int(length) }
    /// The range of the encrypted data in the TCP stream.
    var place: Range<StreamPosition> {
      let place = start + Int(leading)
      return place..<place + Int(count)
    }
    /// The range of the data in the application's stream.
    var octets: Range<StreamPosition> { content..<content + Int(count) }

    /// The number of data octets before a position inside the record. It is never all of them.
    fileprivate func data(before position: StreamPosition) -> Int {
      let most = max(Int(count) - 1, 0)
      if isOpened { return min(max(position - place.lowerBound, 0), most) }
      // Lost records have headers and tags in between.
      return min(Int(UInt64(position - start) * UInt64(count) / UInt64(max(length, 1))), most)
    }
  }

  private var entries = IndexRing<PlacedRecord>()
  /// Whether there was no room for older records.
  private var hasForgotten = false
  /// The position after the last octet of the application's stream.
  private(set) var end: StreamPosition = 0

  var count: Int { entries.count }
  var memory: Int { entries.memory }

  subscript(index: Int) -> PlacedRecord { entries[index] }

  /// The position in the application's stream for a position inside the next record, which has room for `most` octets of data.
  func position(of position: StreamPosition, inNextFrom start: StreamPosition, leading: Int, most: Int)
    -> StreamPosition
  {
    end + min(max(position - start - leading, 0), max(most - 1, 0))
  }

  /// Adds the next record.
  mutating func append(_ entry: PlacedRecord, limit: Int) {
    if entries.count >= max(limit, 1) {
      entries.removeFirst()
      hasForgotten = true
    }
    entries.append(entry)
    end = entry.octets.upperBound
  }

  /// The index of the first record that ends after a position; `count` without one.
  func firstIndex(after position: StreamPosition) -> Int {
    var index = entries.count
    while index > 0, entries[index - 1].end > position { index -= 1 }
    return index
  }

  /// The position in the application's stream for a position in the TCP stream.
  ///
  /// For octets between records, it is the position of the data that follow. The data of an incomplete record have not come.
  func position(of position: StreamPosition) -> StreamPosition {
    let index = firstIndex(after: position)
    guard index < entries.count else { return end }
    let entry = entries[index]
    guard position > entry.start else {
      return index == 0 && hasForgotten && position < entry.start ? .unknown : entry.content
    }
    return entry.content + entry.data(before: position)
  }
}

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
