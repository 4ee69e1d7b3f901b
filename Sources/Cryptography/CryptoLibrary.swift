import CCrypto

/// libcrypto itself.
package enum CryptoLibrary {
  /// Makes ready all that opens TLS and QUIC. A process that confines itself calls this before.
  package static func prepare() {
    DigestAlgorithm.prepare()
    CipherAlgorithm.prepare()
    HeaderCipher.prepare()
  }

  /// To be called before an algorithm is fetched. libcrypto reads no configuration file: a run is confined, and what it computes depends on
  /// nothing outside of it.
  static func initialize() { _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) }
}
