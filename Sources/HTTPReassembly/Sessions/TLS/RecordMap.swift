/// The places of the application's octets in the TCP stream: the latest records of one direction, oldest first.
struct RecordMap {
  /// A record of application data.
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
  }

  private var entries = IndexRing<PlacedRecord>()
  /// The position after the last octet of the application's stream.
  private(set) var end: StreamPosition = 0

  var count: Int { entries.count }
  var memory: Int { entries.memory }

  subscript(index: Int) -> PlacedRecord { entries[index] }

  /// Adds the next record.
  mutating func append(_ entry: PlacedRecord, limit: Int) {
    if entries.count >= max(limit, 1) { entries.removeFirst() }
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
  /// For octets that are not data, it is the position of the data that follow.
  func position(of position: StreamPosition) -> StreamPosition {
    guard position != .unknown else { return .unknown }
    let index = firstIndex(after: position)
    guard index < entries.count else { return end }
    let entry = entries[index]
    return entry.content + min(max(position - entry.place.lowerBound, 0), Int(entry.count))
  }
}
