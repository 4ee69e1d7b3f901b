/// The handshake octets of one side at one level (RFC 9000 §19.6), and the messages in them.
///
/// The frames come in any order, and more than once.
struct CryptoOctets {
  private var next: StreamPosition = 0
  private var held = HeldSegments()
  /// Octets in order that no message has been read from.
  private var ready: [UInt8] = []
  private var messages = HandshakeMessages()
  /// Whether no further message is needed.
  private(set) var isDone = false

  /// Pieces that wait for octets before them: clients cut a hello into some tens. Further ones are left out.
  static let pieceLimit = 256

  /// Octets of its memory.
  var memory: Int { held.memory + ready.capacity + messages.memory }

  /// The content of the last message, if it is needed.
  var content: [UInt8] { messages.content }

  /// Takes octets that belong at `position`. The first copy stays. Octets at `limit` and beyond are left out.
  mutating func take(_ octets: RawSpan, at position: StreamPosition, limit: Int) {
    let (start, end) = (max(position, next), min(position + octets.byteCount, limit))
    guard !isDone, start < end else { return }
    let fresh = octets.extracting(start - position..<end - position)
    if start == next, held.isEmpty {
      fresh.append(0..<fresh.byteCount, to: &ready)
      next = end
      return
    }
    guard start == next || held.count < Self.pieceLimit else { return }
    _ = held.insert(
      position: start, length: fresh.byteCount, octets: fresh, arrival: .none, isSuspect: false, duplicate: { _, _ in })
    while held.firstPosition == next {
      let piece = held.removeFirst()
      ready += piece.octets
      next = piece.end
    }
  }

  /// Reads the next complete message. Returns its type; nil when octets are missing, or are no message.
  mutating func nextMessage() -> UInt8? {
    guard !ready.isEmpty else { return nil }
    var offset = 0
    let type = ready.withOctets { messages.next($0, &offset) }
    ready.removeFirst(offset)
    if messages.isLost { end() }
    return type
  }

  /// Takes no further octets.
  mutating func end() {
    self = CryptoOctets()
    isDone = true
  }
}
