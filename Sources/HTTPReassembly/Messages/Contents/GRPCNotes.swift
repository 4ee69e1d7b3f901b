/// The gRPC messages of HTTP messages that are not final, by the index of an HTTP message's row. They are final with it, because its
/// exchange may be known only then.
struct GRPCNotes {
  /// Facts about one gRPC message.
  struct Note: Equatable {
    /// Capture time of its last octet.
    var time: Int64 = 0
    /// Octets without the prefix.
    var length: UInt32 = 0
    /// Octets without compression, if they are known.
    var decoded: UInt32 = 0
    /// The position in its direction of the call, from 1.
    var position: UInt32 = 0
    var isCompressed = false
    var isDecoded = false
  }

  /// Whether the table is wanted.
  let isWanted: Bool
  private let limit: Int
  private var notes: [RowIndex: [Note]] = [:]
  /// Final messages that wait to be handed over, from `next` on.
  private var ready: [GRPCMessage] = []
  private var next = 0
  /// Rows so far.
  private var rows = 0
  /// Messages of rows that are not final.
  private var count = 0

  init(configuration: Configuration) {
    isWanted = configuration.tables.contains(.grpc)
    limit = configuration.grpcMessageLimit
  }

  /// Whether no HTTP message has notes.
  @inline(__always)
  var isEmpty: Bool { notes.isEmpty }

  /// Whether no message waits to be handed over.
  @inline(__always)
  var isHandedOver: Bool { ready.isEmpty }

  /// Octets of memory that the notes take. Arrays grow by doubling.
  @inline(__always)
  var memory: Int { 2 &* count &* MemoryLayout<Note>.stride &+ notes.count &* Self.holderCost }

  /// Overhead of the dictionary and the array for one HTTP message.
  private static var holderCost: Int { 96 }

  /// Adds a message that has ended. Returns false if there is no room.
  mutating func add(_ note: Note, to row: RowIndex) -> Bool {
    guard count < limit else { return false }
    count += 1
    notes[row, default: []].append(note)
    return true
  }

  /// Removes and returns the notes of a final HTTP message.
  mutating func take(of row: RowIndex) -> [Note] {
    guard !notes.isEmpty, let taken = notes.removeValue(forKey: row) else { return [] }
    count -= taken.count
    return taken
  }

  /// Makes the rows of a final HTTP message ready to be handed over.
  @inline(never)
  mutating func prepare(_ message: borrowing Message, _ row: RowIndex) {
    for note in take(of: row) {
      rows += 1
      var ended = GRPCMessage()
      ended.number = rows
      ended.exchange = message.exchange
      ended.message = message.number
      ended.kind = message.kind
      ended.position = Int(note.position)
      ended.length = Int(note.length) + 5
      ended.decodedLength = note.isDecoded ? Int(note.decoded) : nil
      ended.isCompressed = note.isCompressed
      ended.time = note.time
      ready.append(ended)
    }
  }

  /// The next row to be handed over.
  mutating func nextReady() -> GRPCMessage? {
    guard next < ready.count else {
      ready = []
      next = 0
      return nil
    }
    next += 1
    return ready[next - 1]
  }
}
