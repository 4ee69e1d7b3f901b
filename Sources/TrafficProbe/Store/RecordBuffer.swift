/// Records that wait to be written: bounded, so that a store that hangs costs the app no memory.
struct RecordBuffer: Sendable {
  private(set) var records: [TrafficRecord] = []
  let limit: Int
  /// Records refused because the buffer was full. A request that is pending is not counted: it may come again at its end.
  private(set) var refused = 0
  /// Where the pending requests are, by the number of their exchange.
  private var pending: [Int: Int] = [:]

  init(limit: Int) { self.limit = max(1, limit) }

  /// How many of the records are complete.
  var completed: Int { records.count - pending.count }

  /// Adds a record, or counts it as refused: the oldest are kept, because a log with its end missing is easier to judge than
  /// one with holes. A request that was pending gives its place to the complete one.
  mutating func add(_ record: TrafficRecord) {
    if record.kind == .request, !record.isPending, let position = pending.removeValue(forKey: record.exchange) {
      records[position] = record
    } else if records.count < limit {
      if record.isPending { pending[record.exchange] = records.count }
      records.append(record)
    } else if !record.isPending {
      refused += 1
    }
  }

  /// Takes all records out.
  mutating func take() -> [TrafficRecord] {
    defer {
      records = []
      pending = [:]
    }
    return records
  }

  /// Puts records back in front, as many as fit; the others are refused.
  mutating func putBack(_ taken: [TrafficRecord]) {
    let room = max(0, limit - records.count)
    refused += taken.dropFirst(room).count { !$0.isPending }
    records = taken.prefix(room) + records
    pending = [:]
    for (position, record) in records.enumerated() where record.isPending { pending[record.exchange] = position }
  }
}
