/// Puts the handshake messages of one direction together, which lie in records in any pieces (RFC 8446 §4, §5.1).
///
/// Of most messages only the type is wanted. The octets of a hello are kept until it is complete, as far as a limit.
struct HandshakeMessages {
  /// A message's type (IANA, "TLS HandshakeType").
  enum Kind {
    static let helloRequest: UInt8 = 0
    static let clientHello: UInt8 = 1
    static let serverHello: UInt8 = 2
    static let newSessionTicket: UInt8 = 4
    static let endOfEarlyData: UInt8 = 5
    static let encryptedExtensions: UInt8 = 8
    static let certificate: UInt8 = 11
    static let serverHelloDone: UInt8 = 14
    static let clientKeyExchange: UInt8 = 16
    static let finished: UInt8 = 20
    static let keyUpdate: UInt8 = 24
    /// The largest number that has a meaning, but for 254.
    static let last: UInt8 = 25
  }

  /// Octets of a message whose content is wanted: a ClientHello with several shares of post-quantum keys has some 4 KiB, and
  /// TLS libraries take no more than this.
  static let lengthLimit = 64 << 10

  private var header: InlineArray<4, UInt8> = .init(repeating: 0)
  private var headerCount: UInt8 = 0
  /// Octets of the message still to come.
  private var remaining: Int32 = 0
  private var keeps = false
  /// What is in the records is no message: nothing more is read.
  private(set) var isLost = false
  /// The content of the message that was read last, if it is one whose content is wanted, and not too long.
  private(set) var content: [UInt8] = []

  /// Whether a message has begun, and not ended.
  var isWithin: Bool { headerCount > 0 }

  /// Octets of memory that it takes on the heap.
  var memory: Int { content.isEmpty ? 0 : content.capacity + 32 }

  /// Reads on from `offset` to the end of a message. Returns its type; nil when the octets end before, or are no message.
  mutating func next(_ octets: RawSpan, _ offset: inout Int) -> UInt8? {
    while !isLost, offset < octets.byteCount || headerCount == 4 {
      if headerCount < 4 {
        if headerCount == 0 { content = [] }
        header[Int(headerCount)] = octets.octet(offset)
        headerCount += 1
        offset += 1
        guard headerCount == 4 else { continue }
        remaining = Int32(header[1]) << 16 | Int32(header[2]) << 8 | Int32(header[3])
        isLost = header[0] > Kind.last && header[0] != 254
        keeps = wants(header[0]) && Int(remaining) <= Self.lengthLimit
        continue
      }
      let count = min(Int(remaining), octets.byteCount - offset)
      if keeps { octets.append(offset..<offset + count, to: &content) }
      remaining -= Int32(count)
      offset += count
      guard remaining == 0 else { return nil }
      headerCount = 0
      return header[0]
    }
    return nil
  }

  private func wants(_ type: UInt8) -> Bool {
    switch type {
    case Kind.clientHello, Kind.serverHello, Kind.encryptedExtensions, Kind.clientKeyExchange, Kind.newSessionTicket:
      true
    default: false
    }
  }

  /// Octets of a message were not seen, or could not be opened: the next record starts a message, if it is one of the handshake.
  mutating func lose() { self = HandshakeMessages() }

  /// Gives the memory of the last message back.
  mutating func release() { content = [] }
}
