// What a row holds on to in a pool of texts.

extension Message {
  /// Lets go of the texts that the message holds on to.
  @inline(__always)
  package func releaseTexts(of texts: inout TextPool) {
    texts.release([method, host, path, version, contentType, contentEncoding, transferEncoding, process])
  }
}

extension Exchange {
  /// Lets go of the texts that the exchange holds on to.
  @inline(__always)
  package func releaseTexts(of texts: inout TextPool) { texts.release([method, host, path, version, process]) }
}

extension Connection {
  /// Lets go of the texts that the connection holds on to.
  package func releaseTexts(of texts: inout TextPool) {
    texts.release(process)
    guard let security else { return }
    texts.release([security.serverName, security.applicationProtocol])
  }
}
