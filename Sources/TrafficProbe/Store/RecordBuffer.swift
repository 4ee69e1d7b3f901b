/// Records that wait to be written: bounded, so that a store that hangs costs the app no memory.
struct RecordBuffer: Sendable {
  private(set) var records: [TrafficRecord] = []
  let limit: Int
  /// Records refused because the buffer was full.
  private(set) var refused = 0

  init(limit: Int) { self.limit = max(1, limit) }

  /// Adds a record, or counts it as refused: the oldest are kept, because a log with its end missing is easier to judge than
  /// one with holes.
  mutating func add(_ record: TrafficRecord) {
    if records.count < limit { records.append(record) } else { refused += 1 }
  }

  /// Takes all records out.
  mutating func take() -> [TrafficRecord] {
    defer { records = [] }
    return records
  }

  /// Puts records back in front, as many as fit; the others are refused.
  mutating func putBack(_ taken: [TrafficRecord]) {
    let room = max(0, limit - records.count)
    refused += max(0, taken.count - room)
    records = taken.prefix(room) + records
  }
}
