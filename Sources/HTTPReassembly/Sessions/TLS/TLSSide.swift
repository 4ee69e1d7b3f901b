import Packets

/// One direction of a TLS connection: where its records begin and end, and what is known of them (RFC 8446 §5.1).
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
  /// Whether at least one record header was right.
  var isConfirmed = false
  /// Whether the boundaries of records are no longer known.
  var isLost = false
  /// Whether records are looked for, where their boundaries are no longer known: the octets are kept meanwhile.
  var isSearching = false
  /// Position from which on the boundaries are not known.
  var lostStart: StreamPosition = 0
  /// Whether nothing more of it is opened, because a record was lost whose content has no known length.
  var isClosed = false
  /// Whether octets of it have come.
  var hasStarted = false
  /// Whether what it sends is protected from here on: TLS up to 1.2, after its change_cipher_spec.
  var isProtected = false
  /// Whether the octets of the record being read are kept, to be opened when all have come.
  var isGathering = false
  /// Whether not all octets of the record being read were seen.
  var isDamaged = false
  /// Whether the next record waits for secrets.
  var waitsForSecrets = false
  /// Octets of the record that are still to come.
  var remaining: Int32 = 0
  /// Position of the next octet.
  var next: StreamPosition = 0
  /// Position of the header of the record being read, or of the first octet that is kept to look for one.
  var recordStart: StreamPosition = 0
  /// Protected records that were not opened before anything could open them.
  var passed: UInt16 = 0
  /// Whether there were records of application data that were opened, and that were not.
  var hasOpened = false
  var hasUnopened = false
  var handshake = HandshakeMessages()
  var shares = SegmentShares()
  /// Opens its records; nil while none of them can be.
  var opener: OwnMemory<RecordOpener>?

  /// The type of the record being read.
  var contentType: UInt8 { header[0] }

  /// Position before which it is known what all octets are.
  var resolved: StreamPosition {
    isGathering || isSearching || headerCount > 0 ? recordStart : next
  }

  /// What the octets of the record being read are, if it is not opened.
  var unopenedKind: RecordKinds {
    switch contentType {
    case ContentType.handshake, ContentType.changeCipherSpec: .handshake
    case ContentType.applicationData: .unopened
    default: .other
    }
  }

  /// Whether these octets show that the stream is not TLS: they complete a first header that is none.
  func refuses(_ octets: RawSpan) -> Bool {
    guard !isConfirmed, !isLost else { return false }
    let known = Int(headerCount)
    guard known + octets.byteCount >= TLSRecords.headerLength else { return false }
    var whole = header
    for offset in known..<TLSRecords.headerLength { whole[offset] = octets.octet(offset - known) }
    return TLSRecords.length(whole) == nil
  }

  /// Octets of memory that it takes on the heap.
  var memory: Int { handshake.memory + shares.memory + (opener?.look { $0.memory } ?? 0) }
}
