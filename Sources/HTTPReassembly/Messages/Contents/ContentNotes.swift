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

  /// Gives back the memory of a sample, for new ones.
  mutating func giveBack(_ memory: consuming [UInt8]) {
    spares.giveBack(memory)
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
