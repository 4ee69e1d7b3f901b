import Packets

/// The analysis of some of a capture's connections: what it finds goes to the analysis that puts all shards together (`ShardMerger`).
package struct Shard: ~Copyable {
  private var pipeline: Pipeline<NoRows>
  private let recorder: ShardRecorder
  private let number: Int
  private var lookups = DNSLookups()
  private var anomalies = AnomalyLog()

  /// Chunks between two looks at which numbers open rows refer to.
  private static let oldestInterval = 32

  /// Starts a shard.
  ///
  /// - Parameters:
  ///   - plan: What all shards have in common.
  ///   - number: Which shard it is, from 0.
  ///   - decoders: Makes decoders for content codings.
  ///   - captured: Reads octets of packets again.
  ///   - exchange: Hands a batch over, and gives another one.
  package init(
    _ plan: ShardPlan, number: Int, decoders: (any ContentDecoderSource)?, captured: (any CapturedOctets)?,
    exchange: @escaping (consuming ShardBatch) -> ShardBatch
  ) {
    self.number = number
    pipeline = Pipeline(configuration: plan.configuration, decoders: decoders, sink: NoRows())
    pipeline.capturedOctets = captured
    pipeline.run.secrets = plan.secrets
    pipeline.run.budget.others = plan.memory
    recorder = ShardRecorder(exchange: exchange)
    pipeline.record(with: recorder)
  }

  /// Takes the next chunk.
  package mutating func process(_ chunk: PacketChunk) {
    let (index, times, segments, datagrams, behind) = chunk.content.look {
      ($0.number, $0.times, $0.segments, $0.datagrams, $0.end)
    }
    recorder.recording.begin(times)
    chunk.forEachPacket(of: number) { packet, octets, clock in
      // What was due before the packet is done at moments of its own.
      pipeline.elapse(to: clock)
      let moment = recorder.recording.begin(packet: Int(packet.offset))
      pipeline.run.packetNumber = UInt32(truncatingIfNeeded: moment)
      switch packet.kind {
      case .packet: pipeline.process(packet.packet, octets)
      case .segment: pipeline.process(segments[Int(packet.detail)], of: packet.packet, octets)
      case .names: pipeline.learnNames(datagrams[Int(packet.detail)], octets, &lookups, &anomalies)
      }
      pipeline.noteChanges()
      recorder.recording.pass(to: Int(packet.offset) + 1)
    }
    pipeline.elapse(to: times.clock(before: times.count))
    var end: ShardBatch.End?
    switch behind {
    case .nothing: break
    case .event(let event):
      recorder.recording.beginEvent()
      pipeline.take(event)
      pipeline.noteChanges()
    case .finish(let isLast):
      pipeline.turnTimeline(to: times.time(before: times.count))
      pipeline.finishConnections()
      pipeline.noteChanges()
      if isLast {
        end = ShardBatch.End(
          ledger: pipeline.ledger, timeline: pipeline.timelinePart, anomalies: pipeline.run.anomalies.all)
      }
    }
    let isLook = index % Self.oldestInterval == Self.oldestInterval - 1
    let oldest = isLook ? pipeline.oldestNumbers : nil
    recorder.recording.complete(index, oldest: oldest, end: end)
  }
}

/// What all shards of an analysis have in common.
///
/// Secrets are in memory that all of them look into at the same time: all have to be known before the first packet, and none is learnt
/// later.
package struct ShardPlan: @unchecked Sendable {
  let configuration: Configuration
  let secrets: KeyLog
  let memory: SharedAmount

  /// How many there are.
  package let count: Int
}

extension Pipeline {
  /// Plans shards for what this analysis, which has taken no packet yet, would do alone. Limits of memory are shared out among them.
  package func plan(shards: Int) -> ShardPlan {
    var configuration = run.configuration
    configuration.tables.remove(.hosts)
    configuration.groupKey = nil
    configuration.connectionLimit = max(configuration.connectionLimit / shards, 1)
    configuration.connectionOctetLimit /= shards
    configuration.memoryLimit /= shards
    configuration.openMessageLimit = max(configuration.openMessageLimit / shards, 1)
    configuration.heldOctetTotalLimit /= shards
    configuration.secretHeldOctetTotalLimit /= shards
    configuration.lingeringMessageTotalLimit = max(configuration.lingeringMessageTotalLimit / shards, 1)
    configuration.outstandingRequestTotalLimit = max(configuration.outstandingRequestTotalLimit / shards, 1)
    return ShardPlan(
      configuration: configuration, secrets: run.secrets, memory: SharedAmount(shares: shards), count: shards)
  }
}
