/// Records that wait to be written. Their number is limited, so that a store that hangs costs the app no memory.
struct RecordBuffer: Sendable {
  private(set) var records: [TrafficRecord] = []
  let limit: Int
  /// Records refused because the buffer was full. A pending request does not count: it may come again at its end.
  private(set) var refused = 0
  /// The positions of the pending requests, by the number of their exchange.
  private var pending: [Int: Int] = [:]

  init(limit: Int) { self.limit = max(1, limit) }

  /// The number of complete records.
  var completed: Int { records.count - pending.count }

  /// Adds a record, or counts it as refused. The oldest are kept, because a log without its end is easier to judge than a log
  /// with gaps. The complete record replaces its pending one.
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

  /// Removes and returns all records.
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
