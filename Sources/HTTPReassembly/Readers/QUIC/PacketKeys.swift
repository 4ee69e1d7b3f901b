import Cryptography

/// Memory for the packet being opened: its frames, and its header without protection. Used again for each packet.
///
/// Both arrays are at least as long as the datagram, and their contents start at 0.
struct PacketRoom {
  /// The frames of the opened packet.
  var frames: [UInt8] = []
  /// The header of the packet, which is authenticated with the frames.
  var header: [UInt8] = []
  /// Octets that may still be opened in vain to find where packets end. Each datagram gives as many as it has.
  var trialOctets = Allowance(PacketRoom.trialOctetLimit)

  /// The most of them. A connection without connection IDs takes up to half a megabyte, once for each side.
  static let trialOctetLimit = 4 << 20

  /// Makes room for the packets of a datagram of `length` octets.
  @inline(__always)
  mutating func reserve(_ length: Int) {
    guard frames.count < length else { return }
    frames = Array(repeating: 0, count: max(length, 2048))
    header = frames
  }
}

/// The place of a protected packet in its datagram.
struct PacketPlace {
  /// Where it starts.
  var start: Int
  /// Where its protected packet number starts.
  var numberOffset: Int
  /// Where it ends.
  var end: Int
  /// Whether its header has the long form.
  var isLong: Bool

  /// The octets behind the longest packet number from which the mask of the header is made.
  static var sampleLength: Int { HeaderCipher.blockLength }
}

/// The part of a header that was protected (RFC 9001 §5.4.1).
struct PacketHead {
  /// The octets of the packet number, 1 to 4.
  var numberLength: Int
  /// The low bits of the packet number.
  var truncated: Int
  /// The key phase of a packet in short form.
  var phase: Bool
}

/// The keys that open packets of one side: those of one level, or of one key phase.
struct PacketKeys {
  private let keys: TrafficKeys
  private let headerCipher: HeaderCipher

  /// Octets of their memory, about.
  static var memory: Int { RecordCipher.memory + HeaderCipher.memory + 96 }

  /// The keys that a traffic secret gives; nil if this libcrypto cannot make them. Keys after an update keep the cipher for headers (RFC
  /// 9001 §6.1).
  init?(
    _ secret: RawSpan, _ suite: CipherSuite.Protection, _ labels: TrafficKeys.Labels,
    after earlier: PacketKeys? = nil
  ) {
    guard let keys = TrafficKeys(secret, suite, labels) else { return nil }
    self.keys = keys
    if let earlier {
      headerCipher = earlier.headerCipher
    } else {
      let key = KeyDerivation.expandLabel(labels.header, of: secret, suite.digest, length: suite.cipher.keyLength)
      guard let cipher = key?.withOctets({ HeaderCipher(suite.cipher, key: $0) }) else { return nil }
      headerCipher = cipher
    }
  }

  /// The keys of Initial packets, which follow from a connection ID and the version (RFC 9001 §5.2).
  init?(initial id: QUICConnectionID, _ version: QUICVersion, ofClient isClient: Bool) {
    var common = MACOctets()
    let isDone = id.withOctets { id in
      version.salt.withOctets { DigestAlgorithm.sha256.authenticate(id, key: $0, to: &common) }
    }
    guard isDone,
      let secret = common.withOctets({
        KeyDerivation.expandLabel(isClient ? "client in" : "server in", of: $0, .sha256, length: 32)
      }),
      let keys = secret.withOctets({
        PacketKeys($0, .init(cipher: .aes128GCM, digest: .sha256, mac: nil), version.labels)
      })
    else { return nil }
    self = keys
  }

  /// Removes the protection of a header (RFC 9001 §5.4). The header without it goes to `room`. Nil if the packet is too short.
  @inline(__always)
  func unprotect(_ place: PacketPlace, in payload: RawSpan, _ room: inout PacketRoom) -> PacketHead? {
    let sample = place.numberOffset + 4
    guard sample + HeaderCipher.blockLength <= place.end,
      let mask = headerCipher.mask(of: payload.extracting(sample..<sample + HeaderCipher.blockLength))
    else { return nil }
    // The first octet of the mask is for the first one of the header, and the next four are for the number.
    let (bits, next) = mask.withOctets { ($0.octet(0), $0.bigEndian32(1)) }
    let first = payload.octet(place.start) ^ bits & (place.isLong ? 0x0f : 0x1f)
    let numberLength = Int(first & 3) + 1
    payload.copy(place.start..<place.numberOffset + numberLength, to: &room.header, at: 0)
    room.header[0] = first
    let truncated = Int((payload.bigEndian32(place.numberOffset) ^ next) >> UInt32(32 - 8 * numberLength))
    for index in 0..<numberLength {
      room.header[place.numberOffset - place.start + index] =
        UInt8(truncatingIfNeeded: truncated >> (8 * (numberLength - 1 - index)))
    }
    return PacketHead(numberLength: numberLength, truncated: truncated, phase: first & 4 != 0)
  }

  /// Opens a packet with its number, after its header was opened (RFC 9001 §5.3). Returns the number of octets of its frames; nil when the
  /// tag does not verify.
  @inline(__always)
  func open(
    _ place: PacketPlace, _ head: PacketHead, in payload: RawSpan, number: Int, _ room: inout PacketRoom
  ) -> Int? {
    let start = place.numberOffset + head.numberLength
    let sealed = payload.extracting(start..<place.end)
    let isOpen = Self.open(sealed, keys, number, room.header, start - place.start, into: &room.frames)
    return isOpen ? sealed.byteCount - keys.cipher.tagLength : nil
  }

  @inline(__always)
  private static func open(
    _ sealed: RawSpan, _ keys: TrafficKeys, _ number: Int, _ header: [UInt8], _ length: Int,
    into frames: inout [UInt8]
  ) -> Bool {
    header.withOctets {
      keys.cipher.open(sealed, nonce: keys.nonce(number), additional: $0.extracting(0..<length), into: &frames)
    }
  }
}
