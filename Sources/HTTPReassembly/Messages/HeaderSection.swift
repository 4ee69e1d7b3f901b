/// What is gathered from a message's header section while it is being read.
struct HeaderSection {
  var framing = FramingFields()
  var hostCount = 0
  /// Whether there is an Upgrade field with a protocol.
  var hasUpgrade = false
  /// Whether Upgrade names HTTP/2 without TLS (RFC 7540 §3.2).
  var upgradesToHTTP2 = false
  /// The size of the dynamic table that HTTP2-Settings allows, in octets; nil when it says nothing of it.
  var tableSize: Int?
  /// Whether Connection names `upgrade`.
  var connectionUpgrades = false
  /// The coding of the messages of gRPC-Web.
  var grpcEncoding = GRPCEncoding.identity
  /// Non-ASCII octets have been noted.
  var notedNonASCII = false
}
