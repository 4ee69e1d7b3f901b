// The texts that a row retains in a pool.

extension Message {
  /// Replaces each text that the message retains.
  @inlinable @inline(__always)
  package mutating func changeTexts(_ change: (TextID) -> TextID) {
    method = change(method)
    host = change(host)
    path = change(path)
    version = change(version)
    contentType = change(contentType)
    contentEncoding = change(contentEncoding)
    transferEncoding = change(transferEncoding)
    process = change(process)
    webSocket = change(webSocket)
  }

  /// The texts that the message retains.
  @inline(__always)
  package var retainedTexts: InlineArray<9, TextID> {
    [method, host, path, version, contentType, contentEncoding, transferEncoding, process, webSocket]
  }

  /// Releases the texts that the message retains.
  package func releaseTexts(of texts: inout TextPool) { texts.release(retainedTexts) }
}

extension Exchange {
  /// Replaces each text that the exchange retains.
  @inlinable @inline(__always)
  package mutating func changeTexts(_ change: (TextID) -> TextID) {
    method = change(method)
    host = change(host)
    path = change(path)
    version = change(version)
    process = change(process)
  }

  /// The texts that the exchange retains.
  @inline(__always)
  package var retainedTexts: InlineArray<5, TextID> { [method, host, path, version, process] }

  /// Releases the texts that the exchange retains.
  package func releaseTexts(of texts: inout TextPool) { texts.release(retainedTexts) }
}

extension Connection {
  /// Replaces each text that the connection retains.
  package mutating func changeTexts(_ change: (TextID) -> TextID) {
    process = change(process)
    prefix = change(prefix)
    guard let known = security else { return }
    security?.serverName = change(known.serverName)
    security?.applicationProtocol = change(known.applicationProtocol)
  }

  /// Releases the texts that the connection retains.
  package func releaseTexts(of texts: inout TextPool) {
    texts.release([process, prefix])
    guard let security else { return }
    texts.release([security.serverName, security.applicationProtocol])
  }
}
