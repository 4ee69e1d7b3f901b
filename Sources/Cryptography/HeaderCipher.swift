// Unsafe: libcrypto gets the addresses of a sample and of an output block, 16 octets each. Only the owner frees the context, and libcrypto
// clears it.

import CCrypto

/// The cipher of packet headers in QUIC, with its key (RFC 9001 §5.4).
@safe
package final class HeaderCipher {
  private let context: OpaquePointer
  /// Whether it is a stream cipher, which gets the sample as its counter and nonce (RFC 9001 §5.4.4).
  private let isStream: Bool

  /// The length of a block and of a sample in octets.
  package static var blockLength: Int { 16 }
  /// Octets of memory of a cipher, approximately.
  package static var memory: Int { 500 }

  nonisolated(unsafe) private static let short: OpaquePointer? = unsafe fetch("AES-128-ECB")
  nonisolated(unsafe) private static let long: OpaquePointer? = unsafe fetch("AES-256-ECB")
  nonisolated(unsafe) private static let stream: OpaquePointer? = unsafe fetch("ChaCha20")

  @unsafe
  private static func fetch(_ name: String) -> OpaquePointer? {
    CryptoLibrary.initialize()
    return unsafe EVP_CIPHER_fetch(nil, name, nil)
  }

  /// Finds the algorithms before they are needed.
  static func prepare() {
    _ = unsafe short
    _ = unsafe long
    _ = unsafe stream
  }

  /// The header cipher beside a cipher for packets. Nil if QUIC has none for it, if this libcrypto lacks it, or if the key has the wrong
  /// length.
  package init?(_ algorithm: CipherAlgorithm, key: RawSpan) {
    let known: OpaquePointer?
    switch algorithm {
    case .aes128GCM, .aes128CCM: unsafe known = Self.short
    case .aes256GCM: unsafe known = Self.long
    case .chaCha20Poly1305: unsafe known = Self.stream
    default: return nil
    }
    guard key.byteCount == algorithm.keyLength, let known = unsafe known, let context = unsafe EVP_CIPHER_CTX_new()
    else { return nil }
    unsafe self.context = context
    isStream = algorithm == .chaCha20Poly1305
    let isReady = unsafe key.withUnsafeBytes { key in
      let address = unsafe key.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return unsafe EVP_EncryptInit_ex(context, known, nil, address, nil) == 1
    }
    guard isReady, unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1 else { return nil }
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Makes the mask of a header from a sample of 16 octets; nil if libcrypto fails. A header needs the first five octets.
  package func mask(of sample: RawSpan) -> InlineArray<16, UInt8>? {
    precondition(sample.byteCount == Self.blockLength)
    var block = InlineArray<16, UInt8>(repeating: 0)
    let zeros = InlineArray<16, UInt8>(repeating: 0)
    var written: Int32 = 0
    let isDone = unsafe sample.withUnsafeBytes { sample in
      unsafe withUnsafeMutableBytes(of: &block) { block in
        unsafe withUnsafeBytes(of: zeros) { zeros in
          let octets = unsafe sample.baseAddress?.assumingMemoryBound(to: UInt8.self)
          if isStream, unsafe EVP_EncryptInit_ex(context, nil, nil, nil, octets) != 1 { return false }
          let input = unsafe isStream ? zeros.baseAddress?.assumingMemoryBound(to: UInt8.self) : octets
          return unsafe EVP_EncryptUpdate(
            context, block.baseAddress?.assumingMemoryBound(to: UInt8.self), &written, input, Int32(Self.blockLength))
            == 1
        }
      }
    }
    return isDone ? block : nil
  }
}
