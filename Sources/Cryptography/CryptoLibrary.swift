import CCrypto

/// The library libcrypto.
package enum CryptoLibrary {
  /// Prepares everything that opening TLS and QUIC needs. A process that confines itself must call it before.
  package static func prepare() {
    DigestAlgorithm.prepare()
    CipherAlgorithm.prepare()
    HeaderCipher.prepare()
  }

  /// Initializes libcrypto; it must be called before an algorithm is fetched. No configuration file is read: a run is confined, and its
  /// results must not depend on anything outside.
  static func initialize() { _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) }
}
