import Packets

/// When something happens in a shard, in the order of one analysis over all packets.
struct ShardMoment {
  /// The packet, or what comes between packets, that it happens with, counted from 0 over all shards.
  var index: Int
  /// The capture time at which it was due, for what time does before the packet; `.max` for what the packet does.
  var deadline = Int64.max
  /// What is done first where several things are due at one time.
  var rank: UInt8 = 0
  /// The packet since which it has waited: the oldest one is first.
  var order: UInt32 = 0
  /// The connection that ends because the capture does, by its number in the shard; 0 where none does.
  var ending = 0

  /// Whether it comes before another one, of another shard.
  @inline(__always)
  func isBefore(_ other: ShardMoment) -> Bool {
    if index != other.index { return index < other.index }
    if deadline != other.deadline { return deadline < other.deadline }
    if rank != other.rank { return rank < other.rank }
    // Packets can be so many that their numbers begin again.
    return Int32(bitPattern: order &- other.order) < 0
  }

  /// Whether it is the same moment of one shard.
  @inline(__always)
  func isSame(as other: ShardMoment) -> Bool {
    index == other.index && deadline == other.deadline && rank == other.rank && order == other.order
      && ending == other.ending
  }
}

/// What a shard has found, on its way to the analysis of all shards: rows with their texts, and what else changes, moment by moment.
package struct ShardBatch: Sendable {
  /// What happens at one moment: so many of everything that follows in the batch.
  struct Step {
    var moment: ShardMoment
    /// Numbers that the shard gave.
    var newMessages = 0
    var newExchanges = 0
    var newConnections = 0
    /// Final rows.
    var messages = 0
    var exchanges = 0
    var connections = 0
    /// Anomalies that were noted for the first time.
    var anomalies = 0
    /// Lookups that new connections asked for.
    var lookups = 0
  }

  /// What a shard says at its end.
  struct End {
    var ledger: Ledger
    var timeline: Timeline.Part
    var anomalies: [(anomaly: Anomaly, count: AnomalyCount)]
  }

  /// The least numbers of the shard that its open rows refer to.
  struct OldestNumbers {
    var message: Int
    var exchange: Int
    var connection: Int
  }

  /// Rows of a batch: enough that waking a thread for it costs nothing beside them.
  static let capacity = 1024

  var steps: [Step] = []
  var messages: [Message] = []
  var notes: [ContentNotes.Note] = []
  /// The field lines of all messages, one after the other, and how many each has.
  var lines: [FieldNotes.Line] = []
  var lineCounts: [Int] = []
  var exchanges: [Exchange] = []
  var connections: [Connection] = []
  var anomalies: [(anomaly: Anomaly, count: AnomalyCount)] = []
  var lookups: [(address: IPAddress, connection: Int)] = []
  /// Names of fields that got their numbers since the batch before.
  var fieldNames: [[UInt8]] = []
  /// The rows' texts, and the same texts in the pool of the whole analysis, as far as they were asked for.
  var texts = CopiedTexts()
  var kept: [TextID] = []
  /// The chunk that the shard is through with, by its number; nil for a batch in the middle of one.
  var completes: Int?
  var oldest: OldestNumbers?
  var end: End?

  package init() {}

  /// Whether it should be handed over.
  var isFull: Bool { messages.count + exchanges.count + connections.count >= Self.capacity || texts.isFull }

  /// Takes everything away but memory and texts.
  mutating func clear() {
    steps.removeAll(keepingCapacity: true)
    messages.removeAll(keepingCapacity: true)
    notes.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
    lineCounts.removeAll(keepingCapacity: true)
    exchanges.removeAll(keepingCapacity: true)
    connections.removeAll(keepingCapacity: true)
    anomalies.removeAll()
    lookups.removeAll()
    fieldNames.removeAll()
    completes = nil
    oldest = nil
    end = nil
  }
}
