import Cryptography

/// The protection of one direction's records between two changes of keys, including the keys.
struct RecordProtection {
  private let cipher: RecordCipher
  private let form: Form
  /// The number of octets between a record's header and its encrypted part.
  let leadingLength: Int
  /// The IV, or its fixed start.
  private let initial: InlineArray<16, UInt8>
  /// The key of the MAC; nil when the cipher has a tag.
  private let macKey: SecretOctets?
  private let mac: DigestAlgorithm?
  /// The last block of the record before. It is the IV of the next record in TLS 1.0 (RFC 2246 §6.2.3.2).
  private var chain: InlineArray<16, UInt8>

  private enum Form {
    /// The content's type is the last octet before padding. The nonce comes from the IV and the sequence number (RFC 8446 §5.2).
    case tls13
    /// Four octets of the nonce are fixed, and eight are in the record (RFC 5288 §3, RFC 6655 §3).
    case explicitNonce
    /// The nonce comes from the IV and the sequence number (RFC 7905 §2).
    case implicitNonce
    /// Blocks with a MAC of the content or of the encrypted part (RFC 7366). The IV is in the record since TLS 1.1.
    case blocks(hasIV: Bool, encryptsThenMACs: Bool)
  }

  /// Octets of its memory.
  static var memory: Int { MemoryLayout<RecordProtection>.stride + RecordCipher.memory + 128 }

  /// An opened record.
  struct Opened {
    /// The type of its content.
    var contentType: UInt8
    /// The number of content octets, from the start of the output.
    var count: Int
  }

  /// The protection that a traffic secret of TLS 1.3 gives (RFC 8446 §7.3).
  init?(trafficSecret: RawSpan, _ suite: CipherSuite.Protection) {
    guard trafficSecret.byteCount == suite.digest.length, suite.mac == nil else { return nil }
    guard let keys = TrafficKeys(trafficSecret, suite, .tls) else { return nil }
    cipher = keys.cipher
    var initial = InlineArray<16, UInt8>(repeating: 0)
    for index in 0..<12 { initial[index] = keys.initial[index] }
    self.initial = initial
    form = .tls13
    leadingLength = 0
    macKey = nil
    mac = nil
    chain = .init(repeating: 0)
  }

  /// The protection that a master secret of TLS up to 1.2 gives (RFC 5246 §6.3).
  ///
  /// `randoms` are the server's random, then the client's. `isClient` is true for the client's records.
  init?(
    master: RawSpan, randoms: [UInt8], version: UInt16, encryptsThenMACs: Bool, isClient: Bool,
    _ suite: CipherSuite.Protection
  ) {
    let macLength = suite.mac?.length ?? 0
    let keyLength = suite.cipher.keyLength
    let hasIV = version > 0x0301
    let initialLength =
      suite.mac != nil ? (hasIV ? 0 : suite.cipher.blockLength) : suite.cipher == .chaCha20Poly1305 ? 12 : 4
    let function: KeyDerivation.PseudorandomFunction = version >= 0x0303 ? .one(suite.digest) : .md5AndSHA1
    let length = 2 * (macLength + keyLength + initialLength)
    guard let block = KeyDerivation.expand(master, "key expansion", seed: randoms, function, length: length) else {
      return nil
    }
    func part(_ before: Int, _ length: Int) -> Range<Int> {
      let start = 2 * before + (isClient ? 0 : length)
      return start..<start + length
    }
    guard
      let cipher = block.withOctets(in: part(macLength, keyLength), { RecordCipher(suite.cipher, key: $0) })
    else { return nil }
    self.cipher = cipher
    initial = Self.octets(of: block, part(macLength + keyLength, initialLength))
    chain = initial
    mac = suite.mac
    if suite.mac != nil {
      macKey = block.withOctets(in: part(0, macLength)) { SecretOctets($0) }
      form = .blocks(hasIV: hasIV, encryptsThenMACs: encryptsThenMACs)
      leadingLength = hasIV ? suite.cipher.blockLength : 0
    } else {
      macKey = nil
      form = suite.cipher == .chaCha20Poly1305 ? .implicitNonce : .explicitNonce
      leadingLength = suite.cipher == .chaCha20Poly1305 ? 0 : 8
    }
  }

  private static func octets(of secret: SecretOctets, _ range: Range<Int>) -> InlineArray<16, UInt8> {
    var octets: InlineArray<16, UInt8> = .init(repeating: 0)
    secret.withOctets(in: range) { for index in 0..<range.count { octets[index] = $0.octet(index) } }
    return octets
  }

  /// The number of octets of every record besides its content, including the header, without padding; nil if it varies.
  var expansion: Int? {
    switch form {
    case .tls13: TLSRecords.headerLength + cipher.algorithm.tagLength + 1
    case .explicitNonce, .implicitNonce: TLSRecords.headerLength + leadingLength + cipher.algorithm.tagLength
    case .blocks: nil
    }
  }

  /// The maximum content of a record with this number of octets behind its header.
  func mostContent(_ length: Int) -> Int {
    switch form {
    case .tls13: max(length - cipher.algorithm.tagLength - 1, 0)
    case .explicitNonce, .implicitNonce: max(length - leadingLength - cipher.algorithm.tagLength, 0)
    case .blocks: max(length - leadingLength - (mac?.length ?? 0) - 1, 0)
    }
  }

  /// Opens a record into `opened`, which must have room for the record's octets. Returns nil when it does not verify.
  mutating func open(
    _ header: InlineArray<5, UInt8>, _ body: RawSpan, sequence: UInt64, into opened: inout [UInt8]
  ) -> Opened? {
    switch form {
    case .tls13:
      var additional: InlineArray<13, UInt8> = .init(repeating: 0)
      for index in 0..<5 { additional[index] = header[index] }
      let isOpen = cipher.open(body, nonce: nonce(sequence), additional: additional, count: 5, into: &opened)
      guard isOpen else { return nil }
      // The type is the last octet that is not 0. Octets behind it are padding.
      var end = body.byteCount - cipher.algorithm.tagLength
      while end > 0, opened[end - 1] == 0 { end -= 1 }
      return end > 0 ? Opened(contentType: opened[end - 1], count: end - 1) : nil
    case .explicitNonce, .implicitNonce:
      let leading = leadingLength
      let count = body.byteCount - leading - cipher.algorithm.tagLength
      guard count >= 0 else { return nil }
      var nonce = nonce(sequence)
      if leading > 0 {
        for index in 0..<12 { nonce[index] = index < 4 ? initial[index] : body.octet(index - 4) }
      }
      let additional = Self.additional(header, sequence, count)
      let isOpen = cipher.open(
        body.extracting(leading..<body.byteCount), nonce: nonce, additional: additional, count: 13, into: &opened)
      return isOpen ? Opened(contentType: header[0], count: count) : nil
    case .blocks(_, let encryptsThenMACs):
      return openBlocks(header, body, sequence, encryptsThenMACs: encryptsThenMACs, into: &opened)
    }
  }

  private mutating func openBlocks(
    _ header: InlineArray<5, UInt8>, _ body: RawSpan, _ sequence: UInt64, encryptsThenMACs: Bool,
    into opened: inout [UInt8]
  ) -> Opened? {
    guard let mac, let macKey else { return nil }
    let block = cipher.algorithm.blockLength
    let leading = leadingLength
    let end = body.byteCount - (encryptsThenMACs ? mac.length : 0)
    guard end - leading >= block, (end - leading) % block == 0 else { return nil }
    if encryptsThenMACs {
      let isRight = verify(
        body.extracting(0..<end), body.extracting(end..<body.byteCount), header, sequence, mac, macKey)
      guard isRight else { return nil }
    }
    let sealed = body.extracting(leading..<end)
    let chain = chain
    let isDecrypted =
      leading > 0
      ? cipher.decrypt(sealed, initial: body.extracting(0..<leading), into: &opened)
      : chain.withOctets { cipher.decrypt(sealed, initial: $0.extracting(0..<block), into: &opened) }
    guard isDecrypted else { return nil }
    let padding = Int(opened[sealed.byteCount - 1]) + 1
    let count = sealed.byteCount - padding - (encryptsThenMACs ? 0 : mac.length)
    guard count >= 0 else { return nil }
    for index in sealed.byteCount - padding..<sealed.byteCount where Int(opened[index]) != padding - 1 { return nil }
    if !encryptsThenMACs {
      let isRight = opened.withOctets {
        verify($0.extracting(0..<count), $0.extracting(count..<count + mac.length), header, sequence, mac, macKey)
      }
      guard isRight else { return nil }
    }
    if leading == 0 { remember(body.extracting(0..<end)) }
    return Opened(contentType: header[0], count: count)
  }

  /// The number of octets before a record that its IV may need: a MAC and a block.
  static var chainedLength: Int { 64 }

  /// Takes up records behind unopened octets. In TLS 1.0, the last block before a record is its IV.
  mutating func resume(behind octets: RawSpan) {
    guard case .blocks(hasIV: false, let encryptsThenMACs) = form, let mac else { return }
    let end = octets.byteCount - (encryptsThenMACs ? mac.length : 0)
    if end >= cipher.algorithm.blockLength { remember(octets.extracting(0..<end)) }
  }

  private mutating func remember(_ sealed: RawSpan) {
    let block = cipher.algorithm.blockLength
    for index in 0..<block { chain[index] = sealed.octet(sealed.byteCount - block + index) }
  }

  private func verify(
    _ content: RawSpan, _ found: RawSpan, _ header: InlineArray<5, UInt8>, _ sequence: UInt64, _ mac: DigestAlgorithm,
    _ key: SecretOctets
  ) -> Bool {
    let additional = Self.additional(header, sequence, content.byteCount)
    var made = MACOctets()
    let isMade = key.withOctets { key in
      additional.withOctets { mac.authenticate($0, content, key: key, to: &made) }
    }
    return isMade && made.matches(found)
  }

  private func nonce(_ sequence: UInt64) -> InlineArray<12, UInt8> {
    var nonce: InlineArray<12, UInt8> = .init(repeating: 0)
    for index in 0..<12 { nonce[index] = initial[index] }
    for index in 0..<8 { nonce[4 + index] ^= UInt8(truncatingIfNeeded: sequence >> UInt64(8 * (7 - index))) }
    return nonce
  }

  /// The sequence number, the record's type and version, and the content's length (RFC 5246 §6.2.3.1, §6.2.3.3).
  private static func additional(
    _ header: InlineArray<5, UInt8>, _ sequence: UInt64, _ count: Int
  ) -> InlineArray<13, UInt8> {
    var octets: InlineArray<13, UInt8> = .init(repeating: 0)
    for index in 0..<8 { octets[index] = UInt8(truncatingIfNeeded: sequence >> UInt64(8 * (7 - index))) }
    for index in 0..<3 { octets[8 + index] = header[index] }
    octets[11] = UInt8(truncatingIfNeeded: count >> 8)
    octets[12] = UInt8(truncatingIfNeeded: count)
    return octets
  }
}
