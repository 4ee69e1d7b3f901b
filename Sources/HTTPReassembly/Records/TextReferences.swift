// What a row holds on to in a pool of texts.

extension Message {
  /// Lets go of the texts that the message holds on to.
  package func releaseTexts(of texts: inout TextPool) {
    texts.release(method)
    texts.release(host)
    texts.release(path)
    texts.release(version)
    texts.release(contentType)
    texts.release(contentEncoding)
    texts.release(transferEncoding)
  }
}

extension Exchange {
  /// Lets go of the texts that the exchange holds on to.
  package func releaseTexts(of texts: inout TextPool) {
    texts.release(method)
    texts.release(host)
    texts.release(path)
  }
}
