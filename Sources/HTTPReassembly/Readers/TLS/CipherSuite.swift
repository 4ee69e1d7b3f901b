import Cryptography

/// A cipher suite: its number and name in IANA's registry, and its protection of records.
struct CipherSuite {
  let number: UInt16
  /// The name in the registry; nil for a suite that the table lacks.
  let name: StaticString?

  init(_ number: UInt16) {
    self.number = number
    name = Self.names.first { $0.number == number }?.name
  }

  /// A suite's protection of records.
  struct Protection {
    var cipher: CipherAlgorithm
    /// The digest of HKDF (TLS 1.3) or of the pseudorandom function (TLS 1.2).
    var digest: DigestAlgorithm
    /// The digest of the MAC; nil when the cipher has a tag.
    var mac: DigestAlgorithm?
  }

  /// The protection of records, by the suite's name; nil for a suite that cannot be opened (RC4, DES, ARIA, no encryption).
  var protection: Protection? {
    guard let name else { return nil }
    let text = name.description
    func has(_ part: String) -> Bool { text.contains(part) }
    let digest: DigestAlgorithm = text.hasSuffix("SHA384") ? .sha384 : .sha256
    let authenticated: [(part: String, cipher: CipherAlgorithm)] = [
      ("AES_128_GCM", .aes128GCM), ("AES_256_GCM", .aes256GCM), ("CHACHA20_POLY1305", .chaCha20Poly1305),
      ("AES_128_CCM_8", .aes128CCM8), ("AES_256_CCM_8", .aes256CCM8), ("AES_128_CCM", .aes128CCM),
      ("AES_256_CCM", .aes256CCM),
    ]
    for known in authenticated where has("WITH_" + known.part) || has("TLS_" + known.part) {
      return Protection(cipher: known.cipher, digest: digest, mac: nil)
    }
    let blocks: [(part: String, cipher: CipherAlgorithm)] = [
      ("WITH_AES_128_CBC", .aes128CBC), ("WITH_AES_256_CBC", .aes256CBC), ("WITH_3DES_EDE_CBC", .tripleDESCBC),
      ("WITH_CAMELLIA_128_CBC", .camellia128CBC), ("WITH_CAMELLIA_256_CBC", .camellia256CBC),
    ]
    for known in blocks where has(known.part) {
      let mac: DigestAlgorithm = text.hasSuffix("SHA") ? .sha1 : digest
      return Protection(cipher: known.cipher, digest: digest, mac: mac)
    }
    return nil
  }

  /// The minimum number of octets behind the header of a record of application data that are not content.
  ///
  /// The number is fixed for TLS 1.3 and suites with a tag, unless a record is padded. For block ciphers it counts the IV,
  /// the MAC, and one octet of padding. It is nil for suites that cannot be opened.
  func leastExpansion(version: UInt16) -> Int? {
    guard let protection else { return nil }
    if let mac = protection.mac { return (version > 0x0301 ? protection.cipher.blockLength : 0) + mac.length + 1 }
    let isTLS13 = number >> 8 == 0x13
    let explicit = isTLS13 || protection.cipher == .chaCha20Poly1305 ? 0 : 8
    return explicit + protection.cipher.tagLength + (isTLS13 ? 1 : 0)
  }

  /// The suites of TLS 1.3 (RFC 8446 §B.4). Where no ServerHello was captured, a record that opens tells which one is right.
  static let ofTLS13 = [0x1301, 0x1302, 0x1303, 0x1304, 0x1305].map { CipherSuite($0) }
  /// Those of QUIC: all but one, whose tag is too short for it (RFC 9001 §5.3).
  static let ofQUIC = [CipherSuite](ofTLS13.dropLast())

  private static let names: [(number: UInt16, name: StaticString)] = [
    (0x0001, "TLS_RSA_WITH_NULL_MD5"),
    (0x0002, "TLS_RSA_WITH_NULL_SHA"),
    (0x0004, "TLS_RSA_WITH_RC4_128_MD5"),
    (0x0005, "TLS_RSA_WITH_RC4_128_SHA"),
    (0x0009, "TLS_RSA_WITH_DES_CBC_SHA"),
    (0x000a, "TLS_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0x0013, "TLS_DHE_DSS_WITH_3DES_EDE_CBC_SHA"),
    (0x0016, "TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0x0018, "TLS_DH_anon_WITH_RC4_128_MD5"),
    (0x001b, "TLS_DH_anon_WITH_3DES_EDE_CBC_SHA"),
    (0x002c, "TLS_PSK_WITH_NULL_SHA"),
    (0x002d, "TLS_DHE_PSK_WITH_NULL_SHA"),
    (0x002e, "TLS_RSA_PSK_WITH_NULL_SHA"),
    (0x002f, "TLS_RSA_WITH_AES_128_CBC_SHA"),
    (0x0032, "TLS_DHE_DSS_WITH_AES_128_CBC_SHA"),
    (0x0033, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"),
    (0x0034, "TLS_DH_anon_WITH_AES_128_CBC_SHA"),
    (0x0035, "TLS_RSA_WITH_AES_256_CBC_SHA"),
    (0x0038, "TLS_DHE_DSS_WITH_AES_256_CBC_SHA"),
    (0x0039, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA"),
    (0x003a, "TLS_DH_anon_WITH_AES_256_CBC_SHA"),
    (0x003b, "TLS_RSA_WITH_NULL_SHA256"),
    (0x003c, "TLS_RSA_WITH_AES_128_CBC_SHA256"),
    (0x003d, "TLS_RSA_WITH_AES_256_CBC_SHA256"),
    (0x0040, "TLS_DHE_DSS_WITH_AES_128_CBC_SHA256"),
    (0x0041, "TLS_RSA_WITH_CAMELLIA_128_CBC_SHA"),
    (0x0044, "TLS_DHE_DSS_WITH_CAMELLIA_128_CBC_SHA"),
    (0x0045, "TLS_DHE_RSA_WITH_CAMELLIA_128_CBC_SHA"),
    (0x0046, "TLS_DH_anon_WITH_CAMELLIA_128_CBC_SHA"),
    (0x0067, "TLS_DHE_RSA_WITH_AES_128_CBC_SHA256"),
    (0x006a, "TLS_DHE_DSS_WITH_AES_256_CBC_SHA256"),
    (0x006b, "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256"),
    (0x006c, "TLS_DH_anon_WITH_AES_128_CBC_SHA256"),
    (0x006d, "TLS_DH_anon_WITH_AES_256_CBC_SHA256"),
    (0x0084, "TLS_RSA_WITH_CAMELLIA_256_CBC_SHA"),
    (0x0087, "TLS_DHE_DSS_WITH_CAMELLIA_256_CBC_SHA"),
    (0x0088, "TLS_DHE_RSA_WITH_CAMELLIA_256_CBC_SHA"),
    (0x0089, "TLS_DH_anon_WITH_CAMELLIA_256_CBC_SHA"),
    (0x008c, "TLS_PSK_WITH_AES_128_CBC_SHA"),
    (0x008d, "TLS_PSK_WITH_AES_256_CBC_SHA"),
    (0x0090, "TLS_DHE_PSK_WITH_AES_128_CBC_SHA"),
    (0x0091, "TLS_DHE_PSK_WITH_AES_256_CBC_SHA"),
    (0x0094, "TLS_RSA_PSK_WITH_AES_128_CBC_SHA"),
    (0x0095, "TLS_RSA_PSK_WITH_AES_256_CBC_SHA"),
    (0x009c, "TLS_RSA_WITH_AES_128_GCM_SHA256"),
    (0x009d, "TLS_RSA_WITH_AES_256_GCM_SHA384"),
    (0x009e, "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256"),
    (0x009f, "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384"),
    (0x00a2, "TLS_DHE_DSS_WITH_AES_128_GCM_SHA256"),
    (0x00a3, "TLS_DHE_DSS_WITH_AES_256_GCM_SHA384"),
    (0x00a6, "TLS_DH_anon_WITH_AES_128_GCM_SHA256"),
    (0x00a7, "TLS_DH_anon_WITH_AES_256_GCM_SHA384"),
    (0x00a8, "TLS_PSK_WITH_AES_128_GCM_SHA256"),
    (0x00a9, "TLS_PSK_WITH_AES_256_GCM_SHA384"),
    (0x00aa, "TLS_DHE_PSK_WITH_AES_128_GCM_SHA256"),
    (0x00ab, "TLS_DHE_PSK_WITH_AES_256_GCM_SHA384"),
    (0x00ac, "TLS_RSA_PSK_WITH_AES_128_GCM_SHA256"),
    (0x00ad, "TLS_RSA_PSK_WITH_AES_256_GCM_SHA384"),
    (0x00ae, "TLS_PSK_WITH_AES_128_CBC_SHA256"),
    (0x00af, "TLS_PSK_WITH_AES_256_CBC_SHA384"),
    (0x00b0, "TLS_PSK_WITH_NULL_SHA256"),
    (0x00b1, "TLS_PSK_WITH_NULL_SHA384"),
    (0x00b2, "TLS_DHE_PSK_WITH_AES_128_CBC_SHA256"),
    (0x00b3, "TLS_DHE_PSK_WITH_AES_256_CBC_SHA384"),
    (0x00b4, "TLS_DHE_PSK_WITH_NULL_SHA256"),
    (0x00b5, "TLS_DHE_PSK_WITH_NULL_SHA384"),
    (0x00b6, "TLS_RSA_PSK_WITH_AES_128_CBC_SHA256"),
    (0x00b7, "TLS_RSA_PSK_WITH_AES_256_CBC_SHA384"),
    (0x00b8, "TLS_RSA_PSK_WITH_NULL_SHA256"),
    (0x00b9, "TLS_RSA_PSK_WITH_NULL_SHA384"),
    (0x00ba, "TLS_RSA_WITH_CAMELLIA_128_CBC_SHA256"),
    (0x00bd, "TLS_DHE_DSS_WITH_CAMELLIA_128_CBC_SHA256"),
    (0x00be, "TLS_DHE_RSA_WITH_CAMELLIA_128_CBC_SHA256"),
    (0x00bf, "TLS_DH_anon_WITH_CAMELLIA_128_CBC_SHA256"),
    (0x00c0, "TLS_RSA_WITH_CAMELLIA_256_CBC_SHA256"),
    (0x00c3, "TLS_DHE_DSS_WITH_CAMELLIA_256_CBC_SHA256"),
    (0x00c4, "TLS_DHE_RSA_WITH_CAMELLIA_256_CBC_SHA256"),
    (0x00c5, "TLS_DH_anon_WITH_CAMELLIA_256_CBC_SHA256"),
    (0x1301, "TLS_AES_128_GCM_SHA256"),
    (0x1302, "TLS_AES_256_GCM_SHA384"),
    (0x1303, "TLS_CHACHA20_POLY1305_SHA256"),
    (0x1304, "TLS_AES_128_CCM_SHA256"),
    (0x1305, "TLS_AES_128_CCM_8_SHA256"),
    (0xc001, "TLS_ECDH_ECDSA_WITH_NULL_SHA"),
    (0xc002, "TLS_ECDH_ECDSA_WITH_RC4_128_SHA"),
    (0xc003, "TLS_ECDH_ECDSA_WITH_3DES_EDE_CBC_SHA"),
    (0xc004, "TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA"),
    (0xc005, "TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA"),
    (0xc006, "TLS_ECDHE_ECDSA_WITH_NULL_SHA"),
    (0xc007, "TLS_ECDHE_ECDSA_WITH_RC4_128_SHA"),
    (0xc008, "TLS_ECDHE_ECDSA_WITH_3DES_EDE_CBC_SHA"),
    (0xc009, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA"),
    (0xc00a, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA"),
    (0xc00b, "TLS_ECDH_RSA_WITH_NULL_SHA"),
    (0xc00c, "TLS_ECDH_RSA_WITH_RC4_128_SHA"),
    (0xc00d, "TLS_ECDH_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0xc00e, "TLS_ECDH_RSA_WITH_AES_128_CBC_SHA"),
    (0xc00f, "TLS_ECDH_RSA_WITH_AES_256_CBC_SHA"),
    (0xc010, "TLS_ECDHE_RSA_WITH_NULL_SHA"),
    (0xc011, "TLS_ECDHE_RSA_WITH_RC4_128_SHA"),
    (0xc012, "TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA"),
    (0xc013, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
    (0xc014, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA"),
    (0xc015, "TLS_ECDH_anon_WITH_NULL_SHA"),
    (0xc016, "TLS_ECDH_anon_WITH_RC4_128_SHA"),
    (0xc017, "TLS_ECDH_anon_WITH_3DES_EDE_CBC_SHA"),
    (0xc018, "TLS_ECDH_anon_WITH_AES_128_CBC_SHA"),
    (0xc019, "TLS_ECDH_anon_WITH_AES_256_CBC_SHA"),
    (0xc01d, "TLS_SRP_SHA_WITH_AES_128_CBC_SHA"),
    (0xc01e, "TLS_SRP_SHA_RSA_WITH_AES_128_CBC_SHA"),
    (0xc01f, "TLS_SRP_SHA_DSS_WITH_AES_128_CBC_SHA"),
    (0xc020, "TLS_SRP_SHA_WITH_AES_256_CBC_SHA"),
    (0xc021, "TLS_SRP_SHA_RSA_WITH_AES_256_CBC_SHA"),
    (0xc022, "TLS_SRP_SHA_DSS_WITH_AES_256_CBC_SHA"),
    (0xc023, "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256"),
    (0xc024, "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384"),
    (0xc025, "TLS_ECDH_ECDSA_WITH_AES_128_CBC_SHA256"),
    (0xc026, "TLS_ECDH_ECDSA_WITH_AES_256_CBC_SHA384"),
    (0xc027, "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256"),
    (0xc028, "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384"),
    (0xc029, "TLS_ECDH_RSA_WITH_AES_128_CBC_SHA256"),
    (0xc02a, "TLS_ECDH_RSA_WITH_AES_256_CBC_SHA384"),
    (0xc02b, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"),
    (0xc02c, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"),
    (0xc02d, "TLS_ECDH_ECDSA_WITH_AES_128_GCM_SHA256"),
    (0xc02e, "TLS_ECDH_ECDSA_WITH_AES_256_GCM_SHA384"),
    (0xc02f, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"),
    (0xc030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"),
    (0xc031, "TLS_ECDH_RSA_WITH_AES_128_GCM_SHA256"),
    (0xc032, "TLS_ECDH_RSA_WITH_AES_256_GCM_SHA384"),
    (0xc035, "TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA"),
    (0xc036, "TLS_ECDHE_PSK_WITH_AES_256_CBC_SHA"),
    (0xc037, "TLS_ECDHE_PSK_WITH_AES_128_CBC_SHA256"),
    (0xc038, "TLS_ECDHE_PSK_WITH_AES_256_CBC_SHA384"),
    (0xc039, "TLS_ECDHE_PSK_WITH_NULL_SHA"),
    (0xc03a, "TLS_ECDHE_PSK_WITH_NULL_SHA256"),
    (0xc03b, "TLS_ECDHE_PSK_WITH_NULL_SHA384"),
    (0xc050, "TLS_RSA_WITH_ARIA_128_GCM_SHA256"),
    (0xc051, "TLS_RSA_WITH_ARIA_256_GCM_SHA384"),
    (0xc052, "TLS_DHE_RSA_WITH_ARIA_128_GCM_SHA256"),
    (0xc053, "TLS_DHE_RSA_WITH_ARIA_256_GCM_SHA384"),
    (0xc056, "TLS_DHE_DSS_WITH_ARIA_128_GCM_SHA256"),
    (0xc057, "TLS_DHE_DSS_WITH_ARIA_256_GCM_SHA384"),
    (0xc05c, "TLS_ECDHE_ECDSA_WITH_ARIA_128_GCM_SHA256"),
    (0xc05d, "TLS_ECDHE_ECDSA_WITH_ARIA_256_GCM_SHA384"),
    (0xc05e, "TLS_ECDH_ECDSA_WITH_ARIA_128_GCM_SHA256"),
    (0xc05f, "TLS_ECDH_ECDSA_WITH_ARIA_256_GCM_SHA384"),
    (0xc060, "TLS_ECDHE_RSA_WITH_ARIA_128_GCM_SHA256"),
    (0xc061, "TLS_ECDHE_RSA_WITH_ARIA_256_GCM_SHA384"),
    (0xc062, "TLS_ECDH_RSA_WITH_ARIA_128_GCM_SHA256"),
    (0xc063, "TLS_ECDH_RSA_WITH_ARIA_256_GCM_SHA384"),
    (0xc06a, "TLS_PSK_WITH_ARIA_128_GCM_SHA256"),
    (0xc06b, "TLS_PSK_WITH_ARIA_256_GCM_SHA384"),
    (0xc06c, "TLS_DHE_PSK_WITH_ARIA_128_GCM_SHA256"),
    (0xc06d, "TLS_DHE_PSK_WITH_ARIA_256_GCM_SHA384"),
    (0xc06e, "TLS_RSA_PSK_WITH_ARIA_128_GCM_SHA256"),
    (0xc06f, "TLS_RSA_PSK_WITH_ARIA_256_GCM_SHA384"),
    (0xc072, "TLS_ECDHE_ECDSA_WITH_CAMELLIA_128_CBC_SHA256"),
    (0xc073, "TLS_ECDHE_ECDSA_WITH_CAMELLIA_256_CBC_SHA384"),
    (0xc074, "TLS_ECDH_ECDSA_WITH_CAMELLIA_128_CBC_SHA256"),
    (0xc075, "TLS_ECDH_ECDSA_WITH_CAMELLIA_256_CBC_SHA384"),
    (0xc076, "TLS_ECDHE_RSA_WITH_CAMELLIA_128_CBC_SHA256"),
    (0xc077, "TLS_ECDHE_RSA_WITH_CAMELLIA_256_CBC_SHA384"),
    (0xc078, "TLS_ECDH_RSA_WITH_CAMELLIA_128_CBC_SHA256"),
    (0xc079, "TLS_ECDH_RSA_WITH_CAMELLIA_256_CBC_SHA384"),
    (0xc094, "TLS_PSK_WITH_CAMELLIA_128_CBC_SHA256"),
    (0xc095, "TLS_PSK_WITH_CAMELLIA_256_CBC_SHA384"),
    (0xc096, "TLS_DHE_PSK_WITH_CAMELLIA_128_CBC_SHA256"),
    (0xc097, "TLS_DHE_PSK_WITH_CAMELLIA_256_CBC_SHA384"),
    (0xc098, "TLS_RSA_PSK_WITH_CAMELLIA_128_CBC_SHA256"),
    (0xc099, "TLS_RSA_PSK_WITH_CAMELLIA_256_CBC_SHA384"),
    (0xc09a, "TLS_ECDHE_PSK_WITH_CAMELLIA_128_CBC_SHA256"),
    (0xc09b, "TLS_ECDHE_PSK_WITH_CAMELLIA_256_CBC_SHA384"),
    (0xc09c, "TLS_RSA_WITH_AES_128_CCM"),
    (0xc09d, "TLS_RSA_WITH_AES_256_CCM"),
    (0xc09e, "TLS_DHE_RSA_WITH_AES_128_CCM"),
    (0xc09f, "TLS_DHE_RSA_WITH_AES_256_CCM"),
    (0xc0a0, "TLS_RSA_WITH_AES_128_CCM_8"),
    (0xc0a1, "TLS_RSA_WITH_AES_256_CCM_8"),
    (0xc0a2, "TLS_DHE_RSA_WITH_AES_128_CCM_8"),
    (0xc0a3, "TLS_DHE_RSA_WITH_AES_256_CCM_8"),
    (0xc0a4, "TLS_PSK_WITH_AES_128_CCM"),
    (0xc0a5, "TLS_PSK_WITH_AES_256_CCM"),
    (0xc0a6, "TLS_DHE_PSK_WITH_AES_128_CCM"),
    (0xc0a7, "TLS_DHE_PSK_WITH_AES_256_CCM"),
    (0xc0a8, "TLS_PSK_WITH_AES_128_CCM_8"),
    (0xc0a9, "TLS_PSK_WITH_AES_256_CCM_8"),
    (0xc0aa, "TLS_PSK_DHE_WITH_AES_128_CCM_8"),
    (0xc0ab, "TLS_PSK_DHE_WITH_AES_256_CCM_8"),
    (0xc0ac, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM"),
    (0xc0ad, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM"),
    (0xc0ae, "TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8"),
    (0xc0af, "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8"),
    (0xcca8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
    (0xcca9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
    (0xccaa, "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
    (0xccab, "TLS_PSK_WITH_CHACHA20_POLY1305_SHA256"),
    (0xccac, "TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256"),
    (0xccad, "TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256"),
    (0xccae, "TLS_RSA_PSK_WITH_CHACHA20_POLY1305_SHA256"),
  ]
}

extension KeyLog {
  /// Tries the newest names with a secret under a label, each with these suites, for a connection whose hellos do not tell the name or the
  /// suite. Returns the first name and suite that `opens` accepts.
  mutating func firstFitting(
    _ label: SecretLabel, _ suites: [CipherSuite], _ opens: (RawSpan, CipherSuite.Protection) -> Bool
  ) -> (name: SecretName, suite: CipherSuite)? {
    var found: CipherSuite?
    let name = firstFitting(label) { secret in
      found = suites.first { suite in suite.protection.map { opens(secret, $0) } ?? false }
      return found != nil
    }
    guard let name, let found else { return nil }
    return (name, found)
  }
}

extension ConnectionSecurity {
  /// The suite's name in IANA's registry, or its number in hexadecimal digits; nil when unknown.
  public var suiteName: String? {
    guard let suite else { return nil }
    if let name = CipherSuite(suite).name { return name.description }
    let digits = String(suite, radix: 16)
    return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
