/// Assembles the handshake messages of one direction, which lie in records in any pieces (RFC 8446 §4, §5.1).
///
/// Only the type of most messages is needed. The octets of a hello are kept until it is complete, up to a limit.
struct HandshakeMessages {
  /// A message's type (IANA, "TLS HandshakeType").
  enum Kind {
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
    /// The largest number with a meaning, except 254.
    static let last: UInt8 = 25
  }

  /// The maximum number of octets of a message whose content is needed.
  ///
  /// A ClientHello with several shares of post-quantum keys has some 4 KiB. TLS libraries take no more than this limit.
  static let lengthLimit = 64 << 10

  private var header: InlineArray<4, UInt8> = .init(repeating: 0)
  private var headerCount: UInt8 = 0
  /// Octets of the message still to come.
  private var remaining: Int32 = 0
  private var keeps = false
  /// Whether the records contain something other than messages. No more of them is read then.
  private(set) var isLost = false
  /// The content of the last message, if it is needed and not too long.
  private(set) var content: [UInt8] = []

  /// Whether a message has begun, but not ended.
  var isWithin: Bool { headerCount > 0 }

  /// Octets of memory on the heap.
  var memory: Int { content.isEmpty ? 0 : content.capacity + 32 }

  /// Reads from `offset` to the end of a message. Returns its type; nil when the octets end before, or are not a message.
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

  /// Forgets an incomplete message after lost or unopened octets. The next handshake record starts a message.
  mutating func lose() { self = HandshakeMessages() }

  /// Frees the memory of the last message.
  mutating func release() { content = [] }
}
