import Packets

/// One direction of a TLS connection: the boundaries of its records, and the known facts about them (RFC 8446 §5.1).
struct TLSSide: ~Copyable {
  /// The content types of records (IANA, "TLS ContentType").
  enum ContentType {
    static let changeCipherSpec: UInt8 = 20
    static let alert: UInt8 = 21
    static let handshake: UInt8 = 22
    static let applicationData: UInt8 = 23
  }

  var header: InlineArray<5, UInt8> = .init(repeating: 0)
  var headerCount: UInt8 = 0
  /// Whether at least one record header was valid.
  var isConfirmed = false
  /// Whether the boundaries of records are lost.
  var isLost = false
  /// Whether octets are searched for records, after their boundaries were lost. The octets are kept meanwhile.
  var isSearching = false
  /// The position at which the boundaries were lost.
  var lostStart: StreamPosition = 0
  /// Octets that may have been content, and that the inner session does not know of; nil without any.
  var losses: LostRecords?
  /// Whether its stream has ended.
  var isFinished = false
  /// Whether no more records of it are opened, because a record of unknown content length was lost.
  var isClosed = false
  /// Whether octets of it have come.
  var hasStarted = false
  /// Whether its following records are protected: TLS up to 1.2, after its change_cipher_spec.
  var isProtected = false
  /// Whether the octets of the current record are kept, to be opened when all have come.
  var isGathering = false
  /// Whether octets of the current record were not seen.
  var isDamaged = false
  /// Whether the next record waits for secrets.
  var waitsForSecrets = false
  /// Octets of the record that are still to come.
  var remaining: Int32 = 0
  /// The position of the next octet.
  var next: StreamPosition = 0
  /// The position of the current record's header, or of the first octet kept for a search.
  var recordStart: StreamPosition = 0
  /// The number of protected records that passed unopened before any secret could open them.
  var passed: UInt16 = 0
  /// Whether records of application data were opened, and whether others were not.
  var hasOpened = false
  var hasUnopened = false
  var handshake = HandshakeMessages()
  var shares = SegmentShares()
  /// The state that opens its records; nil while none of them can be opened.
  var opener: OwnMemory<RecordOpener>?

  /// The type of the current record.
  var contentType: UInt8 { header[0] }

  /// The position before which all octets are known.
  var resolved: StreamPosition {
    isGathering || isSearching || headerCount > 0 ? recordStart : next
  }

  /// The kind of the current record's octets, if it is not opened.
  var unopenedKind: RecordKinds {
    switch contentType {
    case ContentType.handshake, ContentType.changeCipherSpec: .handshake
    case ContentType.applicationData: .unopened
    default: .other
    }
  }

  /// Whether these octets complete an invalid first header. The stream is not TLS then.
  func refuses(_ octets: RawSpan) -> Bool {
    guard !isConfirmed, !isLost else { return false }
    let known = Int(headerCount)
    guard known + octets.byteCount >= TLSRecords.headerLength else { return false }
    var whole = header
    for offset in known..<TLSRecords.headerLength { whole[offset] = octets.octet(offset - known) }
    return TLSRecords.length(whole) == nil
  }

  /// Octets of memory on the heap. It is mutating, like the opener's: a getter that is not gets a copy.
  var memory: Int { mutating get { handshake.memory + shares.memory + (opener?.value.memory ?? 0) } }
}
