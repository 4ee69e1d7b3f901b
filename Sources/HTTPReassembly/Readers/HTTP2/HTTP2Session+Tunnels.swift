import Packets

// Octets of tunnels: streams that CONNECT opened. With a protocol (RFC 8441), they belong to the stream's messages.

extension HTTP2Session {
  /// Takes octets of a stream's content that is a tunnel. They end at the reader's position.
  mutating func takeTunnelled(_ slot: Int, _ octets: RawSpan, _ run: inout Run) {
    let side = run.side
    if let row = streams.tunnelOwner(slot, &run) {
      extendOwners(&run)
      return run.takeTunnel(octets, of: row)
    }
    guard let stream = streams.openTunnel(slot, &run) else { return countTunnel(octets.byteCount, &run) }
    let end = extendOwners(byTunnel: stream, &run)
    streams.withTunnel(stream, &run) { $0.receive(side, octets, at: end - octets.byteCount, &$1) }
  }

  /// Skips octets of a tunnel that were not captured.
  mutating func skipTunnelled(_ slot: Int, _ count: Int, isInPacket: Bool, _ run: inout Run) {
    let side = run.side
    if let row = streams.tunnelOwner(slot, &run) {
      extendOwners(&run)
      return isInPacket ? run.takeUnseenTunnel(count, of: row) : run.missTunnel(count, of: row)
    }
    guard let stream = streams.openTunnel(slot, &run) else {
      return isInPacket ? countTunnel(count, &run) : extendOwnersByNone(&run)
    }
    let end = extendOwners(byTunnel: stream, &run)
    streams.withTunnel(stream, &run) { $0.skip(side, count, isInPacket: isInPacket, at: end - count, &$1) }
  }

  private mutating func extendOwners(byTunnel stream: UInt64, _ run: inout Run) -> StreamPosition {
    let side = run.side
    let position = readers.look(side) { $0.position }
    owners[side].extend(to: position, .tunnel(stream), limit: ownersLimit(run))
    return position
  }
}
