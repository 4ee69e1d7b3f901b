import Packets

/// Whether this system's rings have both directions of a connection together: found out with datagrams to and fro on the loopback interface.
///
/// Linux before 4.7 hashed each direction by itself, so that the order of a connection's packets got lost.
public enum RingSymmetry: Equatable, Sendable {
  /// They have.
  case holds
  /// They have not: the reports of several rings would not be exact.
  case isBroken
  /// It cannot be found out, and why.
  case isUnknown(String)

  /// Pairs of ports that are tried. With two rings, one trial of each pair says nothing in half of the cases.
  private static var pairs: Int { 24 }

  /// Tries it, which takes some 70 ms, and several times where that says nothing, as on a machine that has no time for it. This process must be
  /// permitted to capture.
  public static func tried() -> RingSymmetry {
    var verdict = triedOnce()
    for _ in 1..<attempts {
      guard case .isUnknown = verdict else { break }
      verdict = triedOnce()
    }
    return verdict
  }

  /// Attempts at most.
  private static var attempts: Int { 4 }

  private static func triedOnce() -> RingSymmetry {
    do throws(CaptureError) {
      let server = try LoopbackDatagrams()
      let clients = try (0..<pairs).map { _ throws(CaptureError) in try LoopbackDatagrams() }
      let rings = try LiveCapture.rings(
        2, interface: LoopbackDatagrams.interface, filter: try PacketFilter("udp port \(server.port)"),
        options: .init(snapshotLength: 128, bufferLength: 8 << 20, timeout: 10))
      var reader = try LiveCaptureReader(sources: rings)
      for client in clients {
        try client.send([0], to: server.port)
        try server.send([0], to: client.port)
      }
      reader.stop()
      return try verdict(&reader, server: server.port, clients: clients.map(\.port))
    } catch {
      return .isUnknown(error.description)
    }
  }

  /// What the datagrams between a server and its clients tell, by the rings that the reader has them from.
  static func verdict(
    _ reader: inout LiveCaptureReader, server: UInt16, clients: [UInt16]
  ) throws(CaptureError) -> RingSymmetry {
    /// By client, what its packets and the server's to it came through: a ring each.
    var rings: [UInt16: (sent: Set<Int>, received: Set<Int>)] = [:]
    reading: while true {
      switch try reader.advance(waitingUpTo: .seconds(1)) {
      case .packet:
        reader.withPacket { _, octets, ring in
          // Ethernet's header, then an IPv4 header without options.
          guard octets.byteCount >= 38 else { return }
          let (source, destination) = (octets.bigEndian16(34), octets.bigEndian16(36))
          if destination == server { rings[source, default: ([], [])].sent.insert(ring) }
          if source == server { rings[destination, default: ([], [])].received.insert(ring) }
        }
      case .idle, .end: break reading
      }
    }
    let known = clients.compactMap { rings[$0] }.filter { !$0.sent.isEmpty && !$0.received.isEmpty }
    guard known.allSatisfy({ $0.sent == $0.received && $0.sent.count == 1 }) else { return .isBroken }
    guard known.count == clients.count else {
      return .isUnknown(
        "\(LoopbackDatagrams.interface): \(known.count) of \(clients.count) pairs of datagrams came back")
    }
    return .holds
  }
}
