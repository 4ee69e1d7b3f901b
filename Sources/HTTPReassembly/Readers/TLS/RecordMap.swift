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
