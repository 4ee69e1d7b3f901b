import Packets

/// Packets that wait before they are written. So secrets that become known shortly after them come before them in the file, and a
/// reader in one pass has them in time.
public struct PacketDelay {
  /// Nanoseconds of packet time for which a packet waits: programs write secrets within some milliseconds of the handshake.
  public static let delay: Int64 = 1_000_000_000
  /// The largest number of octets of waiting packets.
  public static let octetLimit = 4 << 20
  /// Octets that a waiting packet takes besides its own.
  private static let packetMemory = 128

  /// The waiting packets, from `start` on.
  private var packets: [(packet: Packet, octets: [UInt8], interface: Int)] = []
  private var start = 0
  private var memory = 0

  /// No packet waits.
  public init() {}

  /// Takes a packet, and writes those that have waited long enough.
  ///
  /// Throws when they cannot be written.
  public mutating func append(
    _ packet: Packet, octets: RawSpan, interface: Int, to writer: PcapngFileWriter
  ) throws(CaptureError) {
    var copy: [UInt8] = []
    copy.reserveCapacity(octets.byteCount)
    octets.append(0..<octets.byteCount, to: &copy)
    memory += copy.count + Self.packetMemory
    packets.append((packet, copy, interface))
    while start < packets.count,
      memory > Self.octetLimit || packet.timestamp &- packets[start].packet.timestamp > Self.delay
    {
      try writeFirst(to: writer)
    }
  }

  /// Writes all waiting packets.
  ///
  /// Throws when they cannot be written.
  public mutating func finish(_ writer: PcapngFileWriter) throws(CaptureError) {
    while start < packets.count { try writeFirst(to: writer) }
  }

  private mutating func writeFirst(to writer: PcapngFileWriter) throws(CaptureError) {
    let first = packets[start]
    packets[start].octets = []
    start += 1
    // This is done rarely, so that moving the others costs little.
    if start == packets.count || start > 1024 && start * 2 > packets.count {
      packets.removeFirst(start)
      start = 0
    }
    memory -= first.octets.count + Self.packetMemory
    var failure: CaptureError?
    first.octets.withOctets { octets in
      do throws(CaptureError) {
        try writer.append(first.packet, octets: octets, interface: first.interface)
      } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
