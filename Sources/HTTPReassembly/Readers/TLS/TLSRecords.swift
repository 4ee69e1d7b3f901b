/// Follows the records of a TLS stream without reading them (RFC 8446 §5.1), and classifies their octets.
///
/// It is for one side of a connection whose other side is not TLS.
struct TLSRecords {
  static let headerLength = 5
  /// 2¹⁴ octets of plaintext, and at most 2,048 octets of expansion (RFC 5246 §6.2.3).
  static let longestRecord = (1 << 14) + 2048
  /// 2¹⁴ octets of plaintext, and at most 256 octets of expansion (RFC 8446 §5.2).
  static let longestRecord13 = (1 << 14) + 256

  private var header: InlineArray<5, UInt8> = .init(repeating: 0)
  private var headerCount: UInt8 = 0
  private var contentType: UInt8 = 0
  /// Whether at least one record header was valid.
  private(set) var isConfirmed = false
  /// Whether record boundaries are lost.
  private var isLost = false
  /// Octets of the record that are still to come.
  private var remaining: Int32 = 0
  /// Octets of records of application data.
  private(set) var unopened = 0

  init() {}

  /// Continues a side that was followed with its handshake and was not opened. `unopened` octets were in earlier records.
  init(_ side: borrowing TLSSide, unopened: Int) {
    self.unopened = unopened
    header = side.header
    headerCount = side.headerCount
    contentType = side.contentType
    isConfirmed = side.isConfirmed
    isLost = side.isLost
    remaining = side.remaining
  }

  /// Whether a stream that starts with `octet` can be TLS, by IANA's content types.
  static func canStart(with octet: UInt8) -> Bool { octet >= 20 && octet <= 24 }

  /// Takes octets, and charges each record's octets to the ledger once its type is known.
  ///
  /// Returns how many octets turn out not to be TLS, including octets taken before. Only a first header can show that.
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

  /// The octets of the record behind its complete header; nil when the header is not valid TLS.
  private var recordLength: Int? { Self.length(header) }

  /// The octets of a record behind its header; nil when the header is not valid TLS.
  static func length(_ header: InlineArray<5, UInt8>) -> Int? {
    let length = Int(header[3]) << 8 | Int(header[4])
    let isRecord = canStart(with: header[0]) && header[1] == 3 && header[2] <= 4 && length <= longestRecord
    return isRecord ? length : nil
  }

  /// Whether these octets complete an invalid first header. The stream is not TLS then.
  func refuses(_ octets: RawSpan) -> Bool {
    guard !isConfirmed, !isLost, Int(headerCount) + octets.byteCount >= Self.headerLength else { return false }
    var whole = self
    let known = Int(headerCount)
    for offset in known..<Self.headerLength { whole.header[offset] = octets.octet(offset - known) }
    return whole.recordLength == nil
  }

  /// Skips octets that cannot be seen. With `isInPacket`, they are in a packet, beyond the snap length.
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

  /// Ends the stream, and charges an incomplete header.
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
