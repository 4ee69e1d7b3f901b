import Packets
import Synchronization

/// Packets that follow each other, on their way to the shards that analyse them and to the analysis that puts together what they find.
///
/// One thread fills it, then several read it, and when all of them have released it, it is filled again: who fills it waits for that.
package final class PacketChunk: @unchecked Sendable {
  /// What it has.
  let content: OwnMemory<PacketChunkContent>
  /// Readers that are not through with it.
  private let readers = Atomic<Int>(0)

  /// An empty chunk for so many shards.
  package init(shards: Int) { content = OwnMemory(PacketChunkContent(shards: shards)) }

  /// Makes it empty again, behind another chunk's packets; all its readers will come.
  func begin(number: Int, after before: ChunkTimes) {
    content.value.begin(number: number, after: before)
    readers.store(content.look { $0.entries.count }, ordering: .relaxed)
  }

  /// One reader is through with it. Returns whether all are.
  package func release() -> Bool { readers.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }

  /// Lends the packets of a shard in their order, each with its octets and the latest capture time up to it.
  ///
  /// What all readers share is taken once: to count references to it with each packet would keep them waiting for each other.
  func forEachPacket(of reader: Int, _ body: (RoutedPacket, RawSpan, Int64) -> Void) {
    let (packets, times, octets) = content.look { ($0.entries[reader], $0.times, $0.octets) }
    octets.withOctets { all in
      for packet in packets {
        body(packet, all.extracting(packet.range), times.clock(before: Int(packet.offset) + 1))
      }
    }
  }

  /// Lends the octets of a packet.
  func withOctets<Result, Failure: Error>(
    of packet: RoutedPacket, _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try content.look { $0.octets }.withOctets { all throws(Failure) in try body(all.extracting(packet.range)) }
  }
}

/// A packet in a chunk, for one of its readers.
struct RoutedPacket {
  /// What a reader does with it.
  enum Kind: UInt8 {
    /// Analyses it.
    case packet
    /// Analyses the segment that it has completed, of which others were fragments.
    case segment
    /// Reads names of its datagram, which is analysed elsewhere.
    case names
  }

  /// Its number in the chunk, from 0.
  var offset: Int32
  var kind: Kind
  /// Which of the chunk's segments or datagrams it is about; -1 where that is the packet itself.
  var detail: Int32
  private var start: Int32
  private var count: Int32
  var packet: Packet

  fileprivate init(_ packet: Packet, _ kind: Kind, detail: Int, at offset: Int, _ octets: Range<Int>) {
    self.packet = packet
    self.kind = kind
    self.detail = Int32(detail)
    self.offset = Int32(offset)
    start = Int32(octets.lowerBound)
    count = Int32(octets.count)
  }

  /// Where its octets are among those of the chunk.
  @inline(__always)
  var range: Range<Int> { Int(start)..<Int(start &+ count) }
}

/// What a chunk has.
struct PacketChunkContent {
  /// What comes behind the packets.
  enum End {
    case nothing
    case event(AnalysisEvent)
    /// Connections end: another capture follows, or, where it is the last one, none.
    case finish(isLast: Bool)
  }

  /// Its number, from 0.
  private(set) var number = 0
  private(set) var times = ChunkTimes()
  private(set) var octets: [UInt8] = []
  /// The packets of each shard, and then those of the analysis of all.
  private(set) var entries: [[RoutedPacket]]
  private(set) var segments: [TCPSegment] = []
  private(set) var datagrams: [UDPDatagram] = []
  var end = End.nothing

  /// Octets of packets at most, but for one packet that is longer.
  private static let octetLimit = 512 << 10
  /// Packets at most.
  private static let packetLimit = 4096

  fileprivate init(shards: Int) {
    entries = Array(repeating: [], count: shards + 1)
    octets.reserveCapacity(Self.octetLimit)
  }

  fileprivate mutating func begin(number: Int, after before: ChunkTimes) {
    self.number = number
    times.first = before.first + before.count + 1
    times.timeBefore = before.times.last ?? before.timeBefore
    times.clockBefore = before.clocks.last ?? before.clockBefore
    times.times.removeAll(keepingCapacity: true)
    times.clocks.removeAll(keepingCapacity: true)
    octets.removeAll(keepingCapacity: true)
    for reader in entries.indices { entries[reader].removeAll(keepingCapacity: true) }
    segments.removeAll()
    datagrams.removeAll()
    end = .nothing
  }

  /// Whether a packet of so many octets has to be in the next one.
  @inline(__always)
  func isFull(for count: Int) -> Bool {
    times.count >= Self.packetLimit || times.count > 0 && octets.count + count > Self.octetLimit
  }

  /// Counts a packet. Returns its offset.
  @inline(__always)
  mutating func add(at time: Int64) -> Int {
    times.clocks.append(max(time, times.clocks.last ?? times.clockBefore))
    times.times.append(time)
    return times.count - 1
  }

  /// Adds a packet for one reader.
  @inline(__always)
  mutating func add(
    _ packet: Packet, _ content: RawSpan, _ kind: RoutedPacket.Kind = .packet, detail: Int = -1, at offset: Int,
    for reader: Int
  ) {
    let start = octets.count
    content.append(0..<content.byteCount, to: &octets)
    entries[reader].append(RoutedPacket(packet, kind, detail: detail, at: offset, start..<octets.count))
  }

  /// Adds a segment that is of several packets. Returns its number.
  mutating func add(_ segment: TCPSegment) -> Int {
    segments.append(segment)
    return segments.count - 1
  }

  /// Adds a datagram. Returns its number.
  mutating func add(_ datagram: UDPDatagram) -> Int {
    datagrams.append(datagram)
    return datagrams.count - 1
  }
}
