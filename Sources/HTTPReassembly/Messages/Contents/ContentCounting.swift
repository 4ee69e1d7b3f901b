// The length of a message's content without its codings (RFC 9110 §8.4). Content is counted while it passes, never stored.

extension OpenContent {
  /// The parts that are counted in a message's content, by its media type; nil for any other type. A content coding hides messages of gRPC.
  @inline(__always)
  static func parts(of row: RowIndex, _ run: borrowing Run) -> ContentParts? {
    let (type, coding) = run.rows.messages.look(Int(row)) { ($0.message.contentType, $0.message.contentEncoding) }
    guard type != .none else { return nil }
    return run.texts.withOctets(type) { type in
      if EventStream.isType(type) { return .events }
      return coding == .none ? GRPCForm(type).map { .grpc($0) } : nil
    }
  }

  /// Prepares for the content of a message.
  mutating func start(of row: RowIndex, _ parts: ContentParts?, _ encoding: GRPCEncoding, _ run: inout Run) {
    switch parts {
    case nil: break
    case .grpc(let form):
      run.rows[message: row].grpcMessages = 0
      grpc = GRPCContent(form, encoding: encoding)
    case .events: events = EventStream()
    }
    let (content, transfer) = run.rows.messages.look(Int(row)) {
      ($0.message.contentEncoding, $0.message.transferEncoding)
    }
    guard content != .none || transfer != .none else { return }
    let codings = run.contents.codings.names(content: content, transfer: transfer, run.texts)
    guard !codings.isEmpty else { return }
    isIdentity = false
    let stream = events
    // The events of a coded content are in what its decoder makes.
    events = nil
    if grpc != nil {
      // A transfer coding hides the messages.
      grpc = nil
      run.rows[message: row].grpcMessages = nil
    }
    guard run.configuration.decodesContent, run.contents.decoders != nil else {
      run.rows[message: row].flags.insert(.notDecoded)
      return
    }
    guard codings.count <= run.configuration.contentCodingLimit else {
      run.note(.contentCodingsTooMany)
      run.rows[message: row].flags.insert(.codingUnknown)
      return
    }
    guard let decoder = run.contents.decoders?.decoder(for: codings) else {
      run.note(.contentCodingUnknown)
      run.rows[message: row].flags.insert(.codingUnknown)
      return
    }
    self.decoder = decoder
    self.codings = codings
    events = stream
  }

  /// Takes octets of a message's content. It is mutating so that nothing here is retained for the call.
  @inline(__always)
  mutating func take(_ octets: RawSpan, of row: RowIndex, _ run: inout Run) {
    if run.notes.contents.isWanted { run.notes.contents.take(octets, of: row, isCoded: !isIdentity) }
    if grpc != nil { grpc?.take(octets, of: row, &run) }
    guard run.contents.observer != nil || events != nil else {
      guard decoder != nil else { return }
      run.prepareDecoding()
      decoder?.feed(octets, within: &run.contents.decoding)
      return
    }
    show(octets, of: row, &run)
  }

  @inline(never)
  private func show(_ octets: RawSpan, of row: RowIndex, _ run: inout Run) {
    let (observer, events) = (run.contents.observer, events)
    let number = run.rows[message: row].number
    observer?.content(octets, of: number)
    if isIdentity {
      events?.take(octets)
      observer?.decodedContent(octets, of: number)
    } else {
      run.prepareDecoding()
      decoder?.feed(octets, within: &run.contents.decoding) { octets in
        events?.take(octets)
        observer?.decodedContent(octets, of: number)
      }
    }
    run.contents.countObserved()
  }

  /// Ends the content of a message, seen whole or not. The outcome is known at once, or when the message becomes final.
  mutating func finish(of row: RowIndex, isComplete: Bool, _ run: inout Run) {
    if let events { run.rows[message: row].events = events.events }
    if let grpc {
      self.grpc = nil
      finish(grpc, of: row, isComplete: isComplete, &run)
    } else if isIdentity {
      if isComplete, run.rows[message: row].missing == 0, run.rows[message: row].unseen == 0 {
        run.rows[message: row].decodedBody = run.rows[message: row].octets.body
      }
      return
    }
    guard let decoder else { return }
    self.decoder = nil
    run.prepareDecoding()
    if isComplete, let pending = run.contents.decoders?.finishLater(decoder, within: &run.contents.decoding) {
      run.rows.messages[Int(row)].pendingContent = pending
    } else {
      let outcome = decoder.finish(within: &run.contents.decoding)
      // A decoder that gave up made no more octets.
      switch outcome {
      case .failed(.corrupt), .failed(.beyondLimit): run.rows[message: row].events = nil
      default: break
      }
      if let anomaly = run.rows[message: row].note(outcome, isComplete: isComplete) { run.note(anomaly) }
    }
    run.contents.decoders?.recycle(decoder, codings: codings)
    run.contents.countDecoders()
  }

  /// Ends the messages of gRPC. Their length is the length of the content without codings.
  private func finish(_ grpc: GRPCContent, of row: RowIndex, isComplete: Bool, _ run: inout Run) {
    let outcome = grpc.finish(&run)
    run.rows[message: row].grpcMessages = outcome.messages
    if let status = outcome.status { run.rows[message: row].grpcStatus = status }
    guard isComplete, run.rows[message: row].missing == 0, run.rows[message: row].unseen == 0 else { return }
    if isIdentity { run.rows[message: row].decodedBody = outcome.decodedLength }
    if outcome.isMalformed {
      run.rows[message: row].flags.insert(.grpcMalformed)
      run.note(.grpcMessageMalformed)
    }
    if let failure = outcome.failure { run.rows[message: row].flags.insert(failure) }
  }

  /// Notes that octets of the content cannot be seen.
  mutating func lose() {
    decoder = nil
    grpc?.lose()
    events?.lose()
  }

  /// Takes the outcome of a content that was decoded while the analysis went on.
  @inline(never)
  static func settle(_ pending: PendingContent, of row: RowIndex, _ run: inout Run) {
    guard let outcome = run.contents.decoders?.outcome(of: pending) else { return }
    run.contents.decoders?.forget(pending)
    run.rows.messages[Int(row)].pendingContent = nil
    guard let anomaly = run.rows[message: row].note(outcome, isComplete: true) else { return }
    // The anomaly has the time of its message, not of the packet that makes the message final.
    let now = run.anomalies.now
    run.anomalies.now = run.rows[message: row].lastTime
    run.note(anomaly)
    run.anomalies.now = now
  }
}

/// The parts of a content that are counted.
enum ContentParts {
  /// Messages of gRPC.
  case grpc(GRPCForm)
  /// Events of an event stream.
  case events
}

extension Run {
  /// Prepares for octets of the current packet to reach a decoder.
  @inline(__always)
  mutating func prepareDecoding() {
    contents.decoding.renew(for: ledger.packets)
    contents.decoding.memoryRoom = freeMemory
  }
}

extension Message {
  /// Records the outcome of decoding, and returns its anomaly, if any. Only a complete content has a decoded length.
  mutating func note(_ outcome: ContentOutcome, isComplete: Bool) -> Anomaly? {
    switch outcome {
    case .decoded(let octets):
      if isComplete { decodedBody = octets }
      return nil
    case .decodedWithTrailingJunk(let octets):
      flags.insert(.codingTrailingJunk)
      if isComplete { decodedBody = octets }
      return .contentTrailingJunk
    case .failed(.corrupt):
      flags.insert(.codingCorrupt)
      return .contentCorrupt
    case .failed(.truncated):
      flags.insert(.codingTruncated)
      return .contentTruncated
    case .failed(.beyondLimit):
      flags.insert(.codingBeyondLimit)
      return .contentBeyondLimit
    }
  }
}

/// Facts about the contents of messages that are not final, gathered while they pass, by the index of a message's row.
struct ContentNotes {
  /// Facts about one content.
  struct Note {
    /// The mark of the content as transferred.
    var mark = OctetMark()
    /// The start of a content without coding.
    var sample: [UInt8] = []
    /// Facts about the content from elsewhere; all else is then empty.
    var given: ContentFacts?

    /// The number of octets noted.
    var length: Int { given?.length ?? mark.count }
    /// The mark of the octets.
    var markValue: UInt64 { given?.mark ?? mark.value }
  }

  /// Whether a table needs the facts.
  let isWanted: Bool
  private var notes: [Note] = []
  /// Octets of memory of the facts. They keep it once it is there; what a few thousand take does not count, because any run keeps it.
  private var octets = 0
  private static let keptCount = 4_096
  /// Memory of finished samples, for new ones.
  private var spares = SpareArrays<UInt8>(limit: 16, capacity: 16 << 10)
  /// Octets in samples, all contents together.
  private(set) var sampledOctets = 0

  /// Octets of a sample; gzip looks back no further.
  static let sampleLimit = 32 << 10
  /// Octets of all samples together. Beyond it, contents have shorter samples or none.
  static let totalLimit = 8 << 20

  /// Octets of memory of all facts and samples.
  @inline(__always)
  var memory: Int { sampledOctets &+ octets }

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Makes room for the facts of a message.
  @inline(never)
  private mutating func grow(to row: Int) {
    while notes.count <= row { notes.append(Note()) }
    octets = max(0, notes.count &- Self.keptCount) &* MemoryLayout<Note>.stride
  }

  /// Takes octets of a message's content. `isCoded` says whether they have a coding.
  mutating func take(_ octets: RawSpan, of row: RowIndex, isCoded: Bool) {
    let row = Int(row)
    if notes.count <= row { grow(to: row) }
    sampledOctets += Self.take(octets, isCoded ? 0 : Self.totalLimit - sampledOctets, &notes[row], &spares)
  }

  /// Takes octets into a note, up to a number of them into its sample. Returns the octets of the sample.
  @inline(__always)
  private static func take(
    _ octets: RawSpan, _ limit: Int, _ note: inout Note, _ spares: inout SpareArrays<UInt8>
  ) -> Int {
    note.mark.take(octets)
    let room = min(limit, sampleLimit - note.sample.count, octets.byteCount)
    guard room > 0 else { return 0 }
    if note.sample.isEmpty { note.sample = spares.take() }
    octets.append(0..<room, to: &note.sample)
    return room
  }

  /// Records facts about a message's content that come from elsewhere.
  mutating func note(_ facts: ContentFacts, of row: RowIndex) {
    if notes.count <= Int(row) { grow(to: Int(row)) }
    notes[Int(row)].given = facts
  }

  /// The facts about the content of a message that is not final.
  func note(of row: RowIndex) -> Note { Int(row) < notes.count ? notes[Int(row)] : Note() }

  /// Removes and returns the facts about a final message's content.
  mutating func takeNote(of row: RowIndex) -> Note {
    var note = Note()
    takeNote(of: row, into: &note)
    return note
  }

  /// Moves the facts about a final message's content into an empty note, without a copy.
  @inline(__always)
  mutating func takeNote(of row: RowIndex, into note: inout Note) {
    guard Int(row) < notes.count else { return }
    swap(&note, &notes[Int(row)])
    sampledOctets -= note.sample.count
  }

  /// Takes back the memory of a note's sample, for new ones.
  mutating func giveBack(sampleOf note: inout Note) {
    guard !note.sample.isEmpty else { return }
    var sample: [UInt8] = []
    swap(&sample, &note.sample)
    spares.giveBack(sample)
  }
}

/// Facts that tables need about a content that is elsewhere.
struct ContentFacts {
  /// The mark of its octets as transferred.
  var mark: UInt64 = 0
  /// The number of octets that the mark covers.
  var length = 0
  /// Octets of its start that were compressed, and their length in gzip; both 0 if none were.
  var sample = 0
  var compressed = 0
}
