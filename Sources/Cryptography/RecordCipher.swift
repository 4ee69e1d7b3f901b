// Unsafe: for one call, libcrypto gets addresses and lengths of the caller's octets, and enough room for its output. No cipher here makes
// more octets than it gets. Only the owner frees a context, and libcrypto clears it.

import CCrypto

/// A cipher for TLS records.
package enum CipherAlgorithm: UInt8, CaseIterable, Sendable {
  case aes128GCM
  case aes256GCM
  case chaCha20Poly1305
  case aes128CCM
  case aes256CCM
  case aes128CCM8
  case aes256CCM8
  case aes128CBC
  case aes256CBC
  case tripleDESCBC
  case camellia128CBC
  case camellia256CBC

  private var name: String {
    switch self {
    case .aes128GCM: "AES-128-GCM"
    case .aes256GCM: "AES-256-GCM"
    case .chaCha20Poly1305: "ChaCha20-Poly1305"
    case .aes128CCM, .aes128CCM8: "AES-128-CCM"
    case .aes256CCM, .aes256CCM8: "AES-256-CCM"
    case .aes128CBC: "AES-128-CBC"
    case .aes256CBC: "AES-256-CBC"
    case .tripleDESCBC: "DES-EDE3-CBC"
    case .camellia128CBC: "CAMELLIA-128-CBC"
    case .camellia256CBC: "CAMELLIA-256-CBC"
    }
  }

  /// The length of a key in octets.
  package var keyLength: Int {
    switch self {
    case .aes128GCM, .aes128CCM, .aes128CCM8, .aes128CBC, .camellia128CBC: 16
    case .tripleDESCBC: 24
    default: 32
    }
  }

  /// Whether the tag is part of the cipher.
  package var isAuthenticated: Bool { rawValue < Self.aes128CBC.rawValue }

  /// The length of the tag in octets; 0 without a tag.
  package var tagLength: Int {
    switch self {
    case .aes128CCM8, .aes256CCM8: 8
    default: isAuthenticated ? 16 : 0
    }
  }

  /// The length in octets of a block, and so of the IV, of a cipher without tag; 1 for other ciphers.
  package var blockLength: Int { isAuthenticated ? 1 : self == .tripleDESCBC ? 8 : 16 }

  fileprivate var isGCM: Bool { self == .aes128GCM || self == .aes256GCM }

  fileprivate var isCCM: Bool {
    switch self {
    case .aes128CCM, .aes256CCM, .aes128CCM8, .aes256CCM8: true
    default: false
    }
  }

  nonisolated(unsafe) private static let fetched: [OpaquePointer?] = {
    CryptoLibrary.initialize()
    return unsafe allCases.map { unsafe EVP_CIPHER_fetch(nil, $0.name, nil) }
  }()

  /// libcrypto's algorithm; nil if this libcrypto lacks it.
  @unsafe fileprivate var algorithm: OpaquePointer? { unsafe Self.fetched[Int(rawValue)] }

  /// Finds the algorithms before they are needed.
  static func prepare() { _ = unsafe fetched }
}

/// A cipher with its key, which opens the records of one direction. Only the IV changes for each record.
@safe
package final class RecordCipher {
  /// The cipher.
  package let algorithm: CipherAlgorithm
  /// The length of the tag in octets; 0 without a tag.
  package let tagLength: Int
  // Each record needs these facts, and `algorithm` would have to tell all ciphers apart for each.
  private let isGCM: Bool
  private let isCCM: Bool
  private let context: OpaquePointer

  /// Octets of memory of a cipher, approximately: the context and libcrypto's own data.
  package static var memory: Int { 1200 }

  /// Nil if this libcrypto lacks the cipher, or the key has the wrong length.
  package init?(_ algorithm: CipherAlgorithm, key: RawSpan) {
    guard key.byteCount == algorithm.keyLength, let known = unsafe algorithm.algorithm,
      let context = unsafe EVP_CIPHER_CTX_new()
    else { return nil }
    self.algorithm = algorithm
    tagLength = algorithm.tagLength
    isGCM = algorithm.isGCM
    isCCM = algorithm.isCCM
    unsafe self.context = context
    var none: UInt32 = 0
    var isReady = unsafe EVP_DecryptInit_ex(context, known, nil, nil, nil) == 1
    if algorithm.isAuthenticated {
      isReady = unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, nil) == 1 && isReady
    }
    if algorithm.isCCM {
      let length = Int32(algorithm.tagLength)
      isReady = unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, length, nil) == 1 && isReady
    }
    isReady =
      unsafe key.withUnsafeBytes { key in
        let address = unsafe key.baseAddress?.assumingMemoryBound(to: UInt8.self)
        return unsafe EVP_DecryptInit_ex(context, nil, nil, address, nil) == 1
      } && isReady
    // IVs come as parameters. The octets that this sets do not stay.
    if algorithm.isGCM {
      isReady = unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_IV_FIXED, 4, &none) == 1 && isReady
    }
    if !algorithm.isAuthenticated { isReady = unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1 && isReady }
    guard isReady else { return nil }
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Opens `sealed`, which ends with the tag, into `opened`, which must have room for it without the tag. Returns false if the tag does not
  /// verify; `opened` is then meaningless. The tag also covers the first `count` octets of `additional`.
  package func open(
    _ sealed: RawSpan, nonce: InlineArray<12, UInt8>, additional: InlineArray<13, UInt8>, count: Int,
    into opened: inout [UInt8]
  ) -> Bool {
    let span = additional.span
    return open(sealed, nonce: nonce, additional: unsafe span.bytes.extracting(0..<count), into: &opened)
  }

  /// Opens `sealed` with any number of additional octets.
  package func open(
    _ sealed: RawSpan, nonce: InlineArray<12, UInt8>, additional: RawSpan, into opened: inout [UInt8]
  ) -> Bool {
    let length = sealed.byteCount - tagLength
    guard length >= 0, opened.count >= length else { return false }
    return unsafe sealed.withUnsafeBytes { sealed in
      unsafe additional.withUnsafeBytes { additional in
        unsafe opened.withUnsafeMutableBytes { opened in
          unsafe withUnsafeBytes(of: nonce) { nonce in
            unsafe open(sealed, length, Self.octets(nonce), additional, opened)
          }
        }
      }
    }
  }

  private static func octets(_ buffer: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
    unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
  }

  @unsafe
  private func open(
    _ sealed: UnsafeRawBufferPointer, _ length: Int, _ nonce: UnsafePointer<UInt8>?,
    _ additional: UnsafeRawBufferPointer,
    _ opened: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let tag = unsafe UnsafeMutableRawPointer(mutating: sealed.baseAddress.map { unsafe $0 + length })
    let target = unsafe opened.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var written: Int32 = 0
    var end: Int32 = 0
    // CCM needs the tag before the octets, and all octets at once, after their length (RFC 3610).
    if isCCM {
      guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), tag) == 1,
        unsafe EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1,
        unsafe EVP_DecryptUpdate(context, nil, &written, nil, Int32(length)) == 1,
        unsafe EVP_DecryptUpdate(context, nil, &written, Self.octets(additional), Int32(additional.count)) == 1
      else { return false }
      return unsafe EVP_DecryptUpdate(context, target, &written, Self.octets(sealed), Int32(length)) == 1
    }
    guard unsafe set(nonce, tag),
      unsafe EVP_DecryptUpdate(context, nil, &written, Self.octets(additional), Int32(additional.count)) == 1,
      unsafe EVP_DecryptUpdate(context, target, &written, Self.octets(sealed), Int32(length)) == 1
    else { return false }
    // No octets are left to write, but libcrypto needs an address.
    var none: UInt8 = 0
    return unsafe EVP_DecryptFinal_ex(context, &none, &end) == 1
  }

  /// Sets the IV and the tag of a record.
  ///
  /// For GCM, one call does both. The usual calls look up each name that the cipher could be asked for, which takes longer than to open a
  /// short record.
  @unsafe
  private func set(_ nonce: UnsafePointer<UInt8>?, _ tag: UnsafeMutableRawPointer?) -> Bool {
    guard isGCM else {
      return unsafe EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagLength), tag) == 1
    }
    let parameters = unsafe (
      Self.parameter("tag", tag, tagLength),
      Self.parameter("tlsivinv", UnsafeMutableRawPointer(mutating: nonce), 12), OSSL_PARAM()
    )
    return unsafe withUnsafeBytes(of: parameters) {
      unsafe EVP_CIPHER_CTX_set_params(context, $0.baseAddress?.assumingMemoryBound(to: OSSL_PARAM.self)) == 1
    }
  }

  /// Octets under one of libcrypto's names (`OSSL_CIPHER_PARAM_AEAD_TAG`, `OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV`).
  @unsafe
  private static func parameter(_ name: StaticString, _ octets: UnsafeMutableRawPointer?, _ count: Int) -> OSSL_PARAM {
    let name = unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
    return unsafe OSSL_PARAM(
      key: name, data_type: UInt32(OSSL_PARAM_OCTET_STRING), data: octets, data_size: count, return_size: 0)
  }

  /// Decrypts `sealed`, whole blocks, into `opened`, which must have as much room. The output is not authenticated, and still has its
  /// padding.
  package func decrypt(_ sealed: RawSpan, initial: RawSpan, into opened: inout [UInt8]) -> Bool {
    guard sealed.byteCount % algorithm.blockLength == 0, opened.count >= sealed.byteCount,
      initial.byteCount == algorithm.blockLength
    else { return false }
    return unsafe sealed.withUnsafeBytes { sealed in
      unsafe initial.withUnsafeBytes { initial in
        unsafe opened.withUnsafeMutableBytes { opened in
          var written: Int32 = 0
          guard unsafe EVP_DecryptInit_ex(context, nil, nil, nil, Self.octets(initial)) == 1 else { return false }
          let target = unsafe opened.baseAddress?.assumingMemoryBound(to: UInt8.self)
          return unsafe EVP_DecryptUpdate(context, target, &written, Self.octets(sealed), Int32(sealed.count)) == 1
            && Int(written) == sealed.count
        }
      }
    }
  }
}
