import Foundation
import Shared

/// Takes records from any thread and writes them in batches on a queue of its own.
///
/// Adding a record takes a lock for the time of an append and nothing else: no disk, no waiting. Records that cannot be written
/// are dropped and counted. If another connection holds the file, the next batch tries again, while the buffer has room.
///
/// `@unchecked`: the database is used on `queue` only, the rest is locked.
final class TrafficStore: @unchecked Sendable {
  private struct State {
    var buffer: RecordBuffer
    var statistics = ProbeStatistics()
    var isScheduled = false
    /// Called after each batch that was written.
    var whenWritten: (@Sendable () -> Void)?
  }

  private let state: Locked<State>
  private let queue = DispatchQueue(label: "TrafficProbe.store", qos: .utility)
  private let database: TrafficDatabase?
  private let interval: Double
  private let batch: Int

  init(url: URL?, options: StoreOptions, isUploaded: Bool = false) {
    state = Locked(State(buffer: RecordBuffer(limit: options.bufferLimit)))
    database = url.map { TrafficDatabase(url: $0, maximumRows: max(1, options.maximumRows), isUploaded: isUploaded) }
    interval = max(0.01, options.writeInterval)
    batch = max(1, options.batchSize)
  }

  /// Takes a record; never blocks on the disk.
  func add(_ record: TrafficRecord) {
    let (schedule, isFull) = state.withLock { state in
      if !record.isPending { state.statistics.recorded += 1 }
      state.buffer.add(record)
      let isFull = state.buffer.records.count == batch
      defer { state.isScheduled = true }
      return (!state.isScheduled, isFull)
    }
    guard database != nil else { return }
    if isFull {
      queue.async { self.writeBatch() }
    } else if schedule {
      queue.asyncAfter(deadline: .now() + interval) { self.writeBatch() }
    }
  }

  /// Writes the waiting records, and returns after the attempt. For the end of a run and for tests, not for the main thread.
  func flush() { queue.sync { writeBatch() } }

  /// The counts so far.
  var statistics: ProbeStatistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.droppedByBuffer = state.buffer.refused
      statistics.waiting = state.buffer.completed
      return statistics
    }
  }

  /// Has this called after each batch that was written, on the store's queue.
  func whenWritten(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenWritten = body } }

  /// Counts rows that a server has accepted, or the problem that kept them.
  func didUpload(_ rows: Int, problem: String?) {
    state.withLock { state in
      state.statistics.uploaded += rows
      if let problem { state.statistics.lastError = problem }
    }
  }

  /// Keeps an error for the statistics.
  func didFail(_ error: any Error) { state.withLock { $0.statistics.lastError = "\(error)" } }

  /// Runs `body` with the database, after the waiting records were written.
  func withDatabase<Result>(_ body: (TrafficDatabase) throws -> Result) throws -> Result? {
    guard let database else { return nil }
    return try queue.sync {
      writeBatch()
      return try body(database)
    }
  }

  /// The records in the buffer: the whole log of a probe without a store.
  var waiting: [TrafficRecord] { state.withLock { $0.buffer.records } }

  private func writeBatch() {
    let records = state.withLock { state in
      state.isScheduled = false
      return database == nil ? [] : state.buffer.take()
    }
    guard let database, !records.isEmpty else { return }
    let completed = records.count { !$0.isPending }
    do {
      try database.write(records)
      let whenWritten = state.withLock { state in
        state.statistics.written += completed
        return state.whenWritten
      }
      whenWritten?()
    } catch {
      state.withLock { state in
        state.statistics.lastError = "\(error)"
        if TrafficDatabase.isBusy(error) {
          state.buffer.putBack(records)
        } else {
          state.statistics.droppedByStore += completed
        }
      }
    }
  }
}
