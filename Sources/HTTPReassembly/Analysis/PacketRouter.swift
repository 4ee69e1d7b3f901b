import Packets

/// Gives each packet of a capture to the shard that follows its connection, and what is no TCP to the analysis that puts the shards
/// together.
///
/// All packets of a pair of endpoints go to one shard, whatever tunnels and fragments they come in.
package struct PacketRouter: ~Copyable {
  private var decoder: PacketDecoder
  // What is decoded here is charged where it is analysed.
  private var ledger = Ledger()
  private var anomalies = AnomalyLog()
  private let shards: Int
  private var chunk: PacketChunk
  private let exchange: (PacketChunk) -> PacketChunk

  /// Starts with an empty chunk.
  ///
  /// - Parameters:
  ///   - configuration: The limits and choices of the analysis.
  ///   - shards: How many shards there are, from 1.
  ///   - chunk: The first chunk.
  ///   - exchange: Hands a full chunk over, and gives another one, which nobody reads any more.
  package init(
    configuration: Configuration, shards: Int, chunk: PacketChunk, exchange: @escaping (PacketChunk) -> PacketChunk
  ) {
    decoder = PacketDecoder(configuration: configuration)
    self.shards = shards
    self.chunk = chunk
    self.exchange = exchange
    var none = ChunkTimes()
    none.first = -1
    chunk.begin(number: 0, after: none)
  }

  /// Takes the next packet.
  package mutating func take(_ packet: Packet, _ octets: RawSpan) {
    if chunk.content.look({ $0.isFull(for: octets.byteCount) }) { handOver() }
    let time = PacketTime.bounded(packet.timestamp)
    let offset = chunk.content.value.add(at: time)
    if packet.origin.flags.contains(.dropped) {
      chunk.content.value.add(packet, octets, at: offset, for: shards)
    } else if let segment = decoder.ordinarySegment(packet, octets, ledger: &ledger) {
      chunk.content.value.add(packet, octets, at: offset, for: shard(of: segment))
    } else {
      takeAny(packet, octets, at: offset, time)
    }
  }

  @inline(never)
  private mutating func takeAny(_ packet: Packet, _ octets: RawSpan, at offset: Int, _ time: Int64) {
    var timed = packet
    timed.timestamp = time
    switch decoder.dissect(timed, octets, ledger: &ledger, anomalies: &anomalies) {
    case .tcp(let segment): chunk.content.value.add(packet, octets, at: offset, for: shard(of: segment))
    case .nothing: chunk.content.value.add(packet, octets, at: offset, for: shards)
    case .udp(let datagram):
      chunk.content.value.add(packet, octets, at: offset, for: shards)
      spreadNames(datagram, packet, octets, at: offset)
    case .reassembledTCP(let segment):
      chunk.content.value.add(packet, octets, at: offset, for: shards)
      let detail = chunk.content.value.add(segment)
      decoder.withReassembled {
        chunk.content.value.add(packet, $0, .segment, detail: detail, at: offset, for: shard(of: segment))
      }
    case .reassembledUDP(let datagram):
      chunk.content.value.add(packet, octets, at: offset, for: shards)
      decoder.withReassembled { spreadNames(datagram, packet, $0, at: offset) }
    }
  }

  /// Every shard learns names: a request without a host is named by them.
  private func spreadNames(_ datagram: UDPDatagram, _ packet: Packet, _ octets: RawSpan, at offset: Int) {
    guard DNSLookups.concerns(datagram) else { return }
    let detail = chunk.content.value.add(datagram)
    for shard in 0..<shards { chunk.content.value.add(packet, octets, .names, detail: detail, at: offset, for: shard) }
  }

  @inline(__always)
  private func shard(of segment: TCPSegment) -> Int {
    shards == 1 ? 0 : Int(ConnectionKey(segment.source, segment.destination).mark % UInt64(shards))
  }

  /// Takes what is learnt before the next packet.
  package mutating func take(_ event: AnalysisEvent) {
    chunk.content.value.end = .event(event)
    handOver()
  }

  /// Ends every connection: what follows is another capture; where `isLast` is set, nothing follows.
  package mutating func finishConnections(isLast: Bool) {
    chunk.content.value.end = .finish(isLast: isLast)
    handOver()
  }

  /// Has what there is taken now: another file comes, and those before need not be open for long.
  package mutating func passOn() {
    if chunk.content.look({ $0.times.count }) > 0 { handOver() }
  }

  private mutating func handOver() {
    let full = chunk
    let (number, times) = full.content.look { ($0.number, $0.times) }
    chunk = exchange(full)
    chunk.begin(number: number + 1, after: times)
  }
}
