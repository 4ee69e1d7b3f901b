import TestSupport

extension QUICWriter {
  /// Datagrams of both sides as packets, the first of them `start` steps of `step` nanoseconds after the beginning.
  static func packets(
    _ sent: [(peer: Peer, octets: [UInt8])], client: (address: [UInt8], port: Int) = ([192, 0, 2, 1], 50_000),
    from start: Int = 0, step: Int64 = 1_000_000
  ) -> [TestPacket] {
    let server: (address: [UInt8], port: Int) = ([198, 51, 100, 1], 443)
    return sent.enumerated().map { index, sent in
      let isClient = sent.peer == .client
      return .datagram(
        sent.octets, from: isClient ? client : server, to: isClient ? server : client,
        at: 1_700_000_000_000_000_000 + Int64(start + index) * step)
    }
  }
}
