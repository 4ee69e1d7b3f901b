import Capture
import ContentCodings
import Dispatch
import HTTPReassembly
import Logging
import Shared

/// Captures that several threads analyse: one reads them and gives each packet to the shard that follows its connection, each shard has one, and
/// the thread that asks for it puts together what they find. What comes out is what one thread would find.
final class ShardedReading: Sendable {
  /// How far the reading is.
  struct Progress: Sendable {
    /// Octets that were read.
    var octets = 0
    /// Octets of all captures; nil where that is not known.
    var size: Int?
    /// What could not be read, since somebody looked last.
    var faults: [CaptureError] = []
    /// Packets that the capturing machines say they lost; nil where none says.
    var dropped: UInt64?
  }

  private let captures: [String]
  private let filter: PacketFilter?
  private let configuration: Configuration
  private let plan: ShardPlan
  private let logger: Logger
  private let progress = Locked(Progress())
  // A queue each: those of one queue may share too few threads, and all of them wait for each other.
  private let readingQueue = DispatchQueue(label: "sniffer.reading")
  private let shardQueues: [DispatchQueue]
  private let threads = DispatchGroup()
  /// Chunks that nobody reads.
  private let free: Handover<PacketChunk>
  /// Chunks for each shard, and then for the thread that puts together what they find.
  private let full: [Handover<PacketChunk>]
  private let batches: [Handover<ShardBatch>]
  private let freeBatches: [Handover<ShardBatch>]

  /// Chunks at most, and batches of each shard: enough that nobody waits for a thread that is late for a moment.
  private static let chunkCount = 8
  private static let batchCount = 4
  /// Octets of captures from which on it is worth while to start threads.
  private static let leastSize = 4 << 20
  /// More than that one thread cannot put together.
  private static let most = 16

  /// How many shards a run is to have.
  ///
  /// What shards cost, a third more of a processor's time in all, is worth it only where there are several of them.
  ///
  /// - Parameters:
  ///   - jobs: How many threads the user asked for; nil where that was not said.
  ///   - captures: What is read.
  /// - Returns: 0 where one thread is to analyse everything.
  static func shards(jobs: Int?, captures: [String]) -> Int {
    // One puts together what the others find, and one writes.
    guard let jobs, jobs >= 4, let size = CaptureSeries(paths: captures).size, size >= leastSize else { return 0 }
    return min(jobs - 2, most)
  }

  /// Prepares for an analysis with a configuration, whose plan is given.
  init(
    _ captures: [String], filter: PacketFilter?, _ configuration: Configuration, _ plan: ShardPlan, logger: Logger
  ) {
    self.captures = captures
    self.filter = filter
    self.configuration = configuration
    self.plan = plan
    self.logger = logger
    shardQueues = (0..<plan.count).map { DispatchQueue(label: "sniffer.shard.\($0)") }
    free = Handover((1..<Self.chunkCount).map { _ in PacketChunk(shards: plan.count) }, wakesAt: 1)
    full = (0...plan.count).map { _ in Handover<PacketChunk>(wakesAt: 2) }
    batches = (0..<plan.count).map { _ in Handover<ShardBatch>(wakesAt: 1) }
    freeBatches = (0..<plan.count).map { _ in
      Handover((1..<Self.batchCount).map { _ in ShardBatch() }, wakesAt: 1)
    }
  }

  /// Reads and analyses everything.
  ///
  /// - Parameters:
  ///   - pipeline: Puts together what the shards find.
  ///   - failed: Is told what the sink throws.
  ///   - passed: Is told how far the reading is, now and then.
  func run<Sink: ReportSink>(
    into pipeline: inout Pipeline<Sink>, failed: (Sink.Failure) -> Void, passed: (Progress) -> Void
  ) {
    pipeline.hasShards = true
    readingQueue.async(group: threads) { self.read() }
    var merger = ShardMerger(plan) { [batches] in
      // A shard ends behind its last chunk, and each chunk has a batch at least.
      batches[$0].take() ?? ShardBatch()
    } giveBack: { [freeBatches] in
      freeBatches[$0].give($1)
    }
    while let chunk = full[plan.count].take() {
      do throws(Sink.Failure) { try merger.merge(chunk, into: &pipeline) } catch { failed(error) }
      release(chunk)
      passed(takeProgress())
    }
    threads.wait()
    passed(takeProgress())
  }

  private func takeProgress() -> Progress {
    progress.withLock { known in
      defer { known.faults = [] }
      return known
    }
  }

  // MARK: The thread that reads

  private func read() {
    var series = CaptureSeries(
      paths: captures, filter: filter, waiting: Waiting(stop: StopSignals.stop), readsAhead: true)
    let captured = series.capturedOctets
    for (number, queue) in shardQueues.enumerated() {
      queue.async(group: threads) { self.analyse(number, captured) }
    }
    var router = PacketRouter(
      configuration: configuration, shards: plan.count, chunk: PacketChunk(shards: plan.count)
    ) { [free, full] chunk in
      for reader in full { reader.give(chunk) }
      // There is one as soon as all readers are through with it.
      return free.take() ?? chunk
    }
    var overlap = CaptureOverlap(configuration: configuration, filter: filter)
    while read(&series, &overlap, &router) {}
    progress.withLock { $0.dropped = series.dropped }
    router.finishConnections(isLast: true)
    for reader in full { reader.end() }
  }

  /// Reads up to the next error. Returns whether there may be more.
  private func read(
    _ series: inout CaptureSeries, _ overlap: inout CaptureOverlap, _ router: inout PacketRouter
  ) -> Bool {
    do throws(CaptureError) {
      while !StopSignals.stop.isRequested {
        let step = try series.advance()
        for event in series.takeEvents() {
          if let event = AnalysisEvent(event) { router.take(event) }
        }
        switch step {
        case .end: return false
        case .capture(let continues):
          logger.info("reading \(series.name ?? "")")
          try overlap.begin(&series)
          if continues { router.passOn() } else { router.finishConnections(isLast: false) }
        case .packet:
          series.withPacket { router.take($0, $1) }
          var left = Self.progressInterval
          try series.passOn { packet, octets in
            router.take(packet, octets)
            left -= 1
            return left > 0
          }
          progress.withLock {
            $0.octets = series.octetsRead
            $0.size = series.size
          }
        }
      }
      return false
    } catch {
      progress.withLock { $0.faults.append(error) }
      return true
    }
  }

  /// Packets between two looks at signals.
  private static let progressInterval = 4096

  // MARK: Shards

  private func analyse(_ number: Int, _ captured: any CapturedOctets) {
    let decoders = SystemContentDecoders(configuration: configuration, threads: 0)
    var shard = Shard(plan, number: number, decoders: decoders, captured: captured) { [batches, freeBatches] batch in
      batches[number].give(batch)
      return freeBatches[number].take() ?? ShardBatch()
    }
    while let chunk = full[number].take() {
      shard.process(chunk)
      release(chunk)
    }
  }

  private func release(_ chunk: PacketChunk) {
    if chunk.release() { free.give(chunk) }
  }
}

extension AnalysisEvent {
  /// What a capture says between packets; nil of what an analysis does not learn so.
  init?(_ event: CaptureEvent) {
    switch event {
    case .name(let record): self = .name(record.name, record.address)
    case .timePassed(let time): self = .passed(time)
    case .process(let record):
      self = .process(number: record.number, identifier: record.identifier, name: Array(record.name.utf8))
    case .app(let record):
      self = .app(user: record.user, package: Array(record.package.utf8), name: Array(record.name.utf8))
    case .comment(let record): self = .comment(number: record.number, octets: record.octets)
    // Secrets are all known before, the number of lost packets is read at the end, and no report has interfaces.
    case .secrets, .drops, .interface: return nil
    }
  }
}
