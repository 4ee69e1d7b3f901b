/// Follows the records of a TLS stream in which nothing is read (RFC 8446 §5.1), to say which octets are what: one side of a
/// connection that is no TLS on the other.
struct TLSRecords {
  static let headerLength = 5
  /// 2¹⁴ octets of plaintext and at most 2,048 of expansion (RFC 5246 §6.2.3).
  static let longestRecord = (1 << 14) + 2048

  private var header: InlineArray<5, UInt8> = .init(repeating: 0)
  private var headerCount: UInt8 = 0
  private var contentType: UInt8 = 0
  /// Whether at least one record header was right.
  private(set) var isConfirmed = false
  /// Whether record boundaries are no longer known.
  private var isLost = false
  /// Octets of the record still to come.
  private var remaining: Int32 = 0
  /// Octets of application data records.
  private(set) var unopened = 0

  init() {}

  /// Goes on from a side that was followed with its handshake, and was not opened; `unopened` octets were in records before.
  init(_ side: borrowing TLSSide, unopened: Int) {
    self.unopened = unopened
    header = side.header
    headerCount = side.headerCount
    contentType = side.contentType
    isConfirmed = side.isConfirmed
    isLost = side.isLost
    remaining = side.remaining
  }

  /// Whether a stream that starts with `octet` can be TLS: the content types of the IANA registry.
  static func canStart(with octet: UInt8) -> Bool { octet >= 20 && octet <= 24 }

  /// Takes octets, charging each record's to the ledger once its type is known.
  ///
  /// Returns how many octets, among them ones taken before, turn out not to be TLS: only for a first header.
  mutating func consume(_ octets: RawSpan, ledger: inout Ledger) -> Int {
    var offset = 0
    while offset < octets.byteCount {
      if isLost {
        ledger.settle(octets.byteCount - offset, as: .tls)
        return 0
      }
      if remaining > 0 {
        let length = min(Int(remaining), octets.byteCount - offset)
        settle(length, &ledger)
        remaining -= Int32(length)
        offset += length
        continue
      }
      header[Int(headerCount)] = octets.octet(offset)
      headerCount += 1
      offset += 1
      guard Int(headerCount) == Self.headerLength else { continue }
      guard let length = recordLength else {
        headerCount = 0
        guard isConfirmed else { return Self.headerLength + octets.byteCount - offset }
        isLost = true
        ledger.settle(Self.headerLength, as: .tls)
        continue
      }
      headerCount = 0
      isConfirmed = true
      contentType = header[0]
      remaining = Int32(length)
      settle(Self.headerLength, &ledger)
    }
    return 0
  }

  /// The octets of the record whose header has come; nil when it is none of TLS.
  private var recordLength: Int? { Self.length(header) }

  /// The octets of a record behind its header; nil when that is none of TLS.
  static func length(_ header: InlineArray<5, UInt8>) -> Int? {
    let length = Int(header[3]) << 8 | Int(header[4])
    let isRecord = canStart(with: header[0]) && header[1] == 3 && header[2] <= 4 && length <= longestRecord
    return isRecord ? length : nil
  }

  /// Whether these octets show that the stream is not TLS: they complete a first header that is none.
  func refuses(_ octets: RawSpan) -> Bool {
    guard !isConfirmed, !isLost, Int(headerCount) + octets.byteCount >= Self.headerLength else { return false }
    var whole = self
    let known = Int(headerCount)
    for offset in known..<Self.headerLength { whole.header[offset] = octets.octet(offset - known) }
    return whole.recordLength == nil
  }

  /// Passes over octets that cannot be seen. `isInPacket`: they are in a packet, beyond the snap length.
  mutating func skip(_ count: Int, isInPacket: Bool, ledger: inout Ledger) {
    let inside = min(Int(remaining), count)
    remaining -= Int32(inside)
    if isInPacket { settle(inside, &ledger) }
    guard inside < count else { return }
    finish(&ledger)
    isLost = true
    isConfirmed = true
    if isInPacket { ledger.settle(count - inside, as: .tls) }
  }

  /// The stream ends: an incomplete header is charged.
  mutating func finish(_ ledger: inout Ledger) {
    ledger.settle(Int(headerCount), as: isConfirmed ? .tls : .opaque)
    headerCount = 0
  }

  private mutating func settle(_ count: Int, _ ledger: inout Ledger) {
    ledger.settle(count, as: .tls)
    switch contentType {
    case 22: ledger.tlsHandshake += count
    case 23:
      ledger.tlsApplicationData += count
      unopened += count
    default: break
    }
  }
}
