/// What the octets of one datagram, or of many, are (MEASURES §8).
struct QUICOctets {
  /// CRYPTO data.
  var handshake = 0
  /// Of opened packets all else; packets that need no keys; what follows a datagram's last packet.
  var packet = 0
  /// Packets that were not opened, whole.
  var protected = 0
  /// Packets that were captured before, whole.
  var retransmitted = 0

  /// Adds up.
  var total: Int { handshake + packet + protected + retransmitted }
}
