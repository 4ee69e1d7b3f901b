// Unsafe: libcrypto gets the addresses of a sample and of an output block, 16 octets each. Only the owner frees the context, and libcrypto
// clears it.

import CCrypto

/// AES-128 of single blocks, with its key. It protects the headers of QUIC's Initial packets (RFC 9001 §5.4.3).
@safe
package final class HeaderCipher {
  private let context: OpaquePointer

  /// The length of a block, a sample and a key in octets.
  package static var blockLength: Int { 16 }
  /// Octets of memory of a cipher, approximately.
  package static var memory: Int { 500 }

  nonisolated(unsafe) private static let algorithm: OpaquePointer? = {
    CryptoLibrary.initialize()
    return unsafe EVP_CIPHER_fetch(nil, "AES-128-ECB", nil)
  }()

  /// Finds the algorithms before they are needed.
  static func prepare() { _ = unsafe algorithm }

  /// Nil if this libcrypto lacks the cipher, or the key has the wrong length.
  package init?(key: RawSpan) {
    guard key.byteCount == Self.blockLength, let algorithm = unsafe Self.algorithm,
      let context = unsafe EVP_CIPHER_CTX_new()
    else { return nil }
    unsafe self.context = context
    let isReady = unsafe key.withUnsafeBytes { key in
      let address = unsafe key.baseAddress?.assumingMemoryBound(to: UInt8.self)
      return unsafe EVP_EncryptInit_ex(context, algorithm, nil, address, nil) == 1
    }
    guard isReady, unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1 else { return nil }
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Encrypts a sample of 16 octets to a block; nil if libcrypto fails.
  package func mask(of sample: RawSpan) -> InlineArray<16, UInt8>? {
    precondition(sample.byteCount == Self.blockLength)
    var block = InlineArray<16, UInt8>(repeating: 0)
    var written: Int32 = 0
    let isDone = unsafe sample.withUnsafeBytes { sample in
      unsafe withUnsafeMutableBytes(of: &block) { block in
        unsafe EVP_EncryptUpdate(
          context, block.baseAddress?.assumingMemoryBound(to: UInt8.self), &written,
          sample.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(Self.blockLength)) == 1
      }
    }
    return isDone ? block : nil
  }
}
