import Packets

/// Puts together what shards find, in the order in which one analysis over all packets would find it: numbers are given here, rows counted
/// and handed to the reports, and what is no TCP is analysed.
package struct ShardMerger: ~Copyable {
  private var steps: ShardSteps
  private let count: Int
  private let memory: SharedAmount

  /// Starts without having anything.
  ///
  /// - Parameters:
  ///   - plan: What all shards have in common.
  ///   - take: Waits for the next batch of a shard.
  ///   - giveBack: Takes a batch back, to be filled again.
  package init(
    _ plan: ShardPlan, take: @escaping (_ shard: Int) -> ShardBatch,
    giveBack: @escaping (_ shard: Int, consuming ShardBatch) -> Void
  ) {
    count = plan.count
    memory = plan.memory
    steps = ShardSteps(count: plan.count, take: take, giveBack: giveBack)
  }

  /// Takes all that shards find in a chunk, and analyses what is no TCP. Goes on behind an error of the sink.
  ///
  /// - Throws: the first error of the sink.
  package mutating func merge<Sink: ReportSink>(
    _ chunk: PacketChunk, into pipeline: inout Pipeline<Sink>
  ) throws(Sink.Failure) {
    var failure: Sink.Failure?
    let (number, own, times) = chunk.content.look { ($0.number, $0.entries[count], $0.times) }
    steps.begin(number)
    var entry = 0
    var offset = 0
    while true {
      let next = steps.next(&pipeline.run).map { $0.index - times.first } ?? times.count
      let ownNext = entry < own.count ? Int(own[entry].offset) : times.count
      let stop = min(next, ownNext, times.count)
      while offset < stop {
        pipeline.skip(to: times.times[offset])
        if !pipeline.isHandedOver {
          do throws(Sink.Failure) { try pipeline.handOverPart() } catch { failure = failure ?? error }
        }
        offset += 1
      }
      guard offset < times.count else { break }
      // What was due before the packet.
      if next == offset {
        steps.apply(at: times.first + offset, isDue: true, &pipeline.run, &pipeline.finalConnections)
      }
      if ownNext == offset {
        do throws(Sink.Failure) {
          try chunk.withOctets(of: own[entry]) { octets throws(Sink.Failure) in
            try pipeline.process(own[entry].packet, octets)
          }
        } catch { failure = failure ?? error }
        entry += 1
      } else {
        pipeline.skip(to: times.times[offset])
      }
      if next == offset {
        steps.apply(at: times.first + offset, isDue: false, &pipeline.run, &pipeline.finalConnections)
      }
      if !pipeline.isHandedOver {
        do throws(Sink.Failure) { try pipeline.handOverPart() } catch { failure = failure ?? error }
      }
      offset += 1
    }
    do throws(Sink.Failure) { try end(chunk, &pipeline) } catch { failure = failure ?? error }
    memory.set(pipeline.tableMemory)
    if let failure { throw failure }
  }

  /// What comes behind the packets of a chunk.
  private mutating func end<Sink: ReportSink>(
    _ chunk: PacketChunk, _ pipeline: inout Pipeline<Sink>
  ) throws(Sink.Failure) {
    let (index, end) = chunk.content.look { ($0.times.first + $0.times.count, $0.end) }
    switch end {
    case .nothing: steps.finish(&pipeline.run)
    case .event(let event):
      steps.apply(at: index, isDue: true, &pipeline.run, &pipeline.finalConnections)
      steps.apply(at: index, isDue: false, &pipeline.run, &pipeline.finalConnections)
      steps.finish(&pipeline.run)
      try pipeline.take(event)
    case .finish(let isLast):
      var failure: Sink.Failure?
      // One connection after the other, by the numbers that they have here.
      while steps.applyEnding(&pipeline.run, &pipeline.finalConnections) {
        do throws(Sink.Failure) { try pipeline.handOverPart() } catch { failure = failure ?? error }
      }
      steps.finish(&pipeline.run)
      if isLast {
        for end in steps.ends { pipeline.take(end) }
      } else {
        do throws(Sink.Failure) { try pipeline.finishConnections() } catch { failure = failure ?? error }
      }
      if let failure { throw failure }
    }
  }
}
