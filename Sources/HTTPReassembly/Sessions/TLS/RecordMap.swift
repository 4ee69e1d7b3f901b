/// Where the application's octets are in the TCP stream: the latest records of one direction that were opened, oldest first.
struct RecordMap {
  /// A record of application data.
  struct PlacedRecord {
    /// Position of its header.
    var start: StreamPosition
    /// Position in the application's stream of its first octet.
    var content: StreamPosition
    /// Octets of the application's data.
    var count: UInt32
    /// Octets of the whole record.
    var length: UInt32
    /// Octets before the data.
    var leading: UInt8
    /// Whether it was opened.
    var isOpened: Bool

    var end: StreamPosition { start + Int(length) }
    /// Where the data is in the TCP stream, before anything was encrypted.
    var place: Range<StreamPosition> {
      let place = start + Int(leading)
      return place..<place + Int(count)
    }
    /// The data in the application's stream.
    var octets: Range<StreamPosition> { content..<content + Int(count) }
  }

  private var entries = IndexRing<PlacedRecord>()
  /// Position in the application's stream after its last octet.
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

  /// The index of the first record that ends after a position; `count` when none does.
  func firstIndex(after position: StreamPosition) -> Int {
    var index = entries.count
    while index > 0, entries[index - 1].end > position { index -= 1 }
    return index
  }

  /// The position in the application's stream that a position in the TCP stream stands for: of what is no data, that of the data that
  /// follows.
  func position(of position: StreamPosition) -> StreamPosition {
    guard position != .unknown else { return .unknown }
    let index = firstIndex(after: position)
    guard index < entries.count else { return end }
    let entry = entries[index]
    return entry.content + min(max(position - entry.place.lowerBound, 0), Int(entry.count))
  }
}
