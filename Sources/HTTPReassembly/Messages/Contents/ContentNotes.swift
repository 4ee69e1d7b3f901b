/// What is noted of the contents of messages while they pass, for messages that are not final: by the index of a message's row.
struct ContentNotes {
  /// What is noted of one content.
  struct Note {
    /// The content as it was transferred.
    var mark = OctetMark()
    /// The start of a content without coding.
    var sample: [UInt8] = []
    /// What is known of it from elsewhere; then there is nothing else.
    var given: ContentFacts?

    /// Octets that were noted.
    var length: Int { given?.length ?? mark.count }
    /// Their mark.
    var markValue: UInt64 { given?.mark ?? mark.value }
  }

  /// Whether anybody wants to know.
  let isWanted: Bool
  private var notes: [Note] = []
  /// Memory of samples that are done with, for the next ones.
  private var spares = SpareArrays<UInt8>(limit: 16, capacity: 16 << 10)
  /// Octets of samples that are held, all together.
  private(set) var sampledOctets = 0

  /// Octets of one content that are kept: gzip looks back no further.
  static let sampleLimit = 32 << 10
  /// The same, all contents together; beyond it contents have shorter samples, or none.
  static let totalLimit = 8 << 20

  init(isWanted: Bool) { self.isWanted = isWanted }

  /// Octets of memory that what is noted of open messages takes.
  var memory: Int { sampledOctets }

  /// Takes octets of the content of a message; `isCoded` says whether a coding is on them.
  mutating func take(_ octets: RawSpan, of row: RowIndex, isCoded: Bool) {
    let row = Int(row)
    while notes.count <= row { notes.append(Note()) }
    notes[row].mark.take(octets)
    guard !isCoded else { return }
    let room = min(Self.sampleLimit - notes[row].sample.count, Self.totalLimit - sampledOctets, octets.byteCount)
    guard room > 0 else { return }
    if notes[row].sample.isEmpty { notes[row].sample = spares.take() }
    octets.append(0..<room, to: &notes[row].sample)
    sampledOctets += room
  }

  /// Notes what is known from elsewhere of the content of a message.
  mutating func note(_ facts: ContentFacts, of row: RowIndex) {
    while notes.count <= Int(row) { notes.append(Note()) }
    notes[Int(row)].given = facts
  }

  /// Takes away what is noted of a message that is final.
  mutating func takeNote(of row: RowIndex) -> Note {
    var note = Note()
    takeNote(of: row, into: &note)
    return note
  }

  /// The same, in the place of a note that says nothing: nothing is copied for it.
  @inline(__always)
  mutating func takeNote(of row: RowIndex, into note: inout Note) {
    guard Int(row) < notes.count else { return }
    swap(&note, &notes[Int(row)])
    sampledOctets -= note.sample.count
  }

  /// Gives back the memory of a sample, for the next ones.
  mutating func giveBack(_ memory: consuming [UInt8]) {
    spares.giveBack(memory)
  }
}

/// What tables want to know of a content that is not here.
struct ContentFacts {
  /// The mark of its octets as they were transferred.
  var mark: UInt64 = 0
  /// How many octets the mark is of.
  var length = 0
  /// Octets of its start that were compressed, and what gzip made of them; 0 where none were.
  var sample = 0
  var compressed = 0
}
