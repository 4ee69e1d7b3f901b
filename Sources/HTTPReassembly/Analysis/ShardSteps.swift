import DequeModule
import Packets

/// What shards find, step by step in the order of one analysis over all packets.
struct ShardSteps {
  /// What is known of one shard.
  fileprivate struct State {
    var batch = ShardBatch()
    /// Whether it has a batch.
    var hasBatch = false
    /// The next step of the batch, and the next of everything that steps have.
    var step = 0
    var next = ShardBatch.Step(moment: ShardMoment(index: 0))
    var line = 0
    /// The chunk that the shard is through with when all steps of the batch are taken.
    var completed = -1
    var messages = NumberWindow()
    var exchanges = NumberWindow()
    var connections = NumberWindow()
    /// The number here of each field name of the shard, whose numbers there begin with 1; 0 has none.
    var fieldNames = [FieldNames.none]
    /// How long the lookups of connections took, by their numbers in the shard.
    var lookups: [Int: Int64] = [:]

    /// What of it every step is chosen by.
    @inline(__always)
    fileprivate var head: Head {
      let hasStep = step < batch.steps.count
      return Head(
        hasStep: hasStep, moment: hasStep ? batch.steps[step].moment : ShardMoment(index: 0), completed: completed)
    }
  }

  /// What of a shard every step is chosen by: plain values, since all shards are looked at for each step.
  fileprivate struct Head {
    /// Whether the batch has a step that is not taken.
    var hasStep = false
    /// When that is.
    var moment = ShardMoment(index: 0)
    /// The chunk that the shard is through with when all steps of the batch are taken.
    var completed = -1
  }

  // In memory of their own: each is changed where it lies.
  private let shards: [OwnMemory<State>]
  private var heads: [Head]
  private let take: (_ shard: Int) -> ShardBatch
  private let giveBack: (_ shard: Int, consuming ShardBatch) -> Void
  /// The chunk whose steps are taken.
  private var chunk = -1
  /// What shards have said at their ends.
  private(set) var ends: [ShardBatch.End] = []

  init(
    count: Int, take: @escaping (_ shard: Int) -> ShardBatch,
    giveBack: @escaping (_ shard: Int, consuming ShardBatch) -> Void
  ) {
    shards = (0..<count).map { _ in OwnMemory(State()) }
    heads = Array(repeating: Head(), count: count)
    self.take = take
    self.giveBack = giveBack
  }

  /// The steps of a chunk are taken next.
  mutating func begin(_ chunk: Int) { self.chunk = chunk }

  /// When the next step of the chunk is; nil when no shard has another one. Waits for batches.
  mutating func next(_ run: inout Run) -> ShardMoment? { nextShard(&run).map { heads[$0].moment } }

  private mutating func nextShard(_ run: inout Run) -> Int? {
    var first: Int?
    for shard in shards.indices where show(shard, &run) {
      if let known = first, !heads[shard].moment.isBefore(heads[known].moment) { continue }
      first = shard
    }
    return first
  }

  /// Takes the steps with a number: those that were due, or those of the packet itself.
  mutating func apply(
    at index: Int, isDue: Bool, _ run: inout Run, _ connections: inout Deque<Connection>
  ) {
    while let shard = nextShard(&run), case let moment = heads[shard].moment, moment.index == index,
      !isDue || moment.deadline < .max, moment.ending == 0
    {
      apply(shard, &run, &connections)
    }
  }

  /// Takes the steps of the connection that ends first because the capture does. Returns whether there was one.
  mutating func applyEnding(_ run: inout Run, _ connections: inout Deque<Connection>) -> Bool {
    var first: (shard: Int, number: Int)?
    for shard in shards.indices where show(shard, &run) {
      let number = shards[shard].value.number(ofConnection: heads[shard].moment.ending)
      if number < first?.number ?? .max { first = (shard, number) }
    }
    guard let shard = first?.shard else { return false }
    let moment = heads[shard].moment
    repeat { apply(shard, &run, &connections) } while show(shard, &run) && heads[shard].moment.isSame(as: moment)
    return true
  }

  /// The steps of the chunk are all taken: its last batches go back.
  mutating func finish(_ run: inout Run) {
    for shard in shards.indices {
      let isThere = show(shard, &run)
      precondition(!isThere, "every step of a chunk is taken before its end")
      release(shard, &run)
    }
  }

  // MARK: Batches

  /// Makes the next step of a shard known, if it has one in the chunk. Returns whether it has.
  @inline(__always)
  private mutating func show(_ shard: Int, _ run: inout Run) -> Bool {
    heads[shard].hasStep || (heads[shard].completed < chunk && wait(for: shard, &run))
  }

  @inline(never)
  private mutating func wait(for shard: Int, _ run: inout Run) -> Bool {
    while !heads[shard].hasStep, heads[shard].completed < chunk {
      release(shard, &run)
      shards[shard].value.begin(take(shard), &run)
      heads[shard] = shards[shard].value.takeHead()
    }
    return heads[shard].hasStep
  }

  /// Gives the batch of a shard back, whose steps are all taken.
  private mutating func release(_ shard: Int, _ run: inout Run) {
    guard let taken = shards[shard].value.takeBatch(&run) else { return }
    if let end = taken.end { ends.append(end) }
    giveBack(shard, taken.batch)
  }

  // MARK: Rows

  @inline(__always)
  private mutating func apply(_ shard: Int, _ run: inout Run, _ connections: inout Deque<Connection>) {
    shards[shard].value.apply(&run, &connections)
    heads[shard] = shards[shard].value.takeHead()
  }
}

extension ShardSteps.State {
  /// The next batch has come.
  fileprivate mutating func begin(_ new: consuming ShardBatch, _ run: inout Run) {
    batch = new
    hasBatch = true
    step = 0
    line = 0
    next = ShardBatch.Step(moment: ShardMoment(index: 0))
    for name in batch.fieldNames { fieldNames.append(name.withOctets { run.fieldNotes.number(of: $0) }) }
    if let chunk = batch.completes { completed = chunk }
  }

  // A method that only looks would be handed a copy of everything.

  fileprivate mutating func takeHead() -> ShardSteps.Head { head }

  fileprivate mutating func number(ofConnection number: Int) -> Int { connections[number] }

  /// Takes the batch away, whose steps are all taken; nil when there is none. It is empty, but for its memory; what a shard says at its end is
  /// beside it.
  fileprivate mutating func takeBatch(_ run: inout Run) -> (batch: ShardBatch, end: ShardBatch.End?)? {
    guard hasBatch else { return nil }
    let end = batch.end
    if let oldest = batch.oldest {
      messages.forget(before: oldest.message)
      exchanges.forget(before: oldest.exchange)
      connections.forget(before: oldest.connection)
    }
    batch.clear()
    batch.forgetTexts(of: &run.texts)
    step = 0
    hasBatch = false
    var taken = ShardBatch()
    swap(&taken, &batch)
    return (taken, end)
  }

  /// Takes the next step.
  fileprivate mutating func apply(_ run: inout Run, _ final: inout Deque<Connection>) {
    let step = batch.steps[self.step]
    self.step += 1
    let numbers = run.takeNumbers(
      messages: step.newMessages, exchanges: step.newExchanges, connections: step.newConnections)
    messages.append(numbers.messages)
    exchanges.append(numbers.exchanges)
    connections.append(numbers.connections)
    for index in next.anomalies..<next.anomalies + step.anomalies {
      var first = batch.anomalies[index]
      first.count.firstConnection = connections[first.count.firstConnection]
      run.anomalies.add(first.anomaly, first.count)
    }
    for index in next.lookups..<next.lookups + step.lookups {
      let asked = batch.lookups[index]
      lookups[asked.connection] = run.names.takeLookup(of: asked.address, for: 0)
    }
    for index in next.messages..<next.messages + step.messages { applyMessage(index, &run) }
    for index in next.exchanges..<next.exchanges + step.exchanges { applyExchange(index, &run) }
    for index in next.connections..<next.connections + step.connections {
      var connection = batch.connections[index]
      lookups[connection.number] = nil
      connection.number = connections[connection.number]
      connection.changeTexts { batch.keep($0, in: &run.texts) }
      final.append(connection)
    }
    next.add(step)
  }

  @inline(__always)
  private mutating func applyMessage(_ index: Int, _ run: inout Run) {
    var message = batch.messages[index]
    message.number = messages[message.number]
    message.exchange = exchanges[message.exchange]
    message.connection = connections[message.connection]
    message.changeTexts { batch.keep($0, in: &run.texts) }
    let end = line + batch.lineCounts[index]
    for line in line..<end { batch.lines[line].name = fieldNames[Int(batch.lines[line].name)] }
    var note = ContentNotes.Note()
    swap(&note, &batch.notes[index])
    run.take(message, note, batch.lines[line..<end])
    line = end
  }

  @inline(__always)
  private mutating func applyExchange(_ index: Int, _ run: inout Run) {
    var exchange = batch.exchanges[index]
    if exchange.timings.dns == NameTable.unknownLookup {
      exchange.timings.dns = lookups.removeValue(forKey: exchange.connection)
    }
    exchange.number = exchanges[exchange.number]
    exchange.connection = connections[exchange.connection]
    exchange.request = exchange.request.map { messages[$0] }
    exchange.response = exchange.response.map { messages[$0] }
    exchange.changeTexts { batch.keep($0, in: &run.texts) }
    run.take(exchange)
  }
}

extension ShardBatch.Step {
  /// What comes next is behind what a step has.
  @inline(__always)
  fileprivate mutating func add(_ step: ShardBatch.Step) {
    messages += step.messages
    exchanges += step.exchanges
    connections += step.connections
    anomalies += step.anomalies
    lookups += step.lookups
  }
}

extension ShardBatch {
  /// A text of the batch in the pool of the whole analysis, with one reference more.
  @inline(__always)
  fileprivate mutating func keep(_ id: TextID, in pool: inout TextPool) -> TextID {
    guard id != .none else { return .none }
    let place = Int(id.index)
    while kept.count <= place { kept.append(.none) }
    if kept[place] == .none { kept[place] = pool.intern(id, of: texts.texts) }
    pool.retain(kept[place])
    return kept[place]
  }

  /// Forgets the texts, if there are many: no row of the batch has one any more.
  fileprivate mutating func forgetTexts(of pool: inout TextPool) {
    guard texts.areMany else { return }
    for text in kept { pool.release(text) }
    kept.removeAll(keepingCapacity: true)
    texts.forgetMany()
  }
}
