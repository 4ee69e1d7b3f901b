import Packets
import SystemPackage

/// Builds a little-endian pcap file with nanosecond timestamps, in memory. Unsafe site: a path for the system.
package struct PcapWriter {
  /// The file so far.
  package private(set) var octets: [UInt8] = []

  /// Starts a file with its header.
  package init(linkType: LinkType, snapshotLength: UInt32 = 262_144) {
    append32(0xa1b2_3c4d)
    // Version 2.4.
    append32(4 << 16 | 2)
    append32(0)
    append32(0)
    append32(snapshotLength)
    append32(linkType.rawValue)
  }

  /// Appends a packet. Its timestamp, in nanoseconds since the Unix epoch, must be within the years 1970 to 2106. Without
  /// `originalLength` the length of `octets` counts.
  package mutating func append(timestamp: Int64, originalLength: Int? = nil, octets packet: RawSpan) {
    append32(UInt32(clamping: timestamp / 1_000_000_000))
    append32(UInt32(clamping: timestamp % 1_000_000_000))
    append32(UInt32(clamping: packet.byteCount))
    append32(UInt32(clamping: originalLength ?? packet.byteCount))
    packet.append(0..<packet.byteCount, to: &octets)
  }

  /// Appends a packet.
  package mutating func append(timestamp: Int64, originalLength: Int? = nil, octets packet: [UInt8]) {
    packet.withOctets { append(timestamp: timestamp, originalLength: originalLength, octets: $0) }
  }

  /// Writes the file, in place of an existing one.
  package func write(to path: String) throws(CaptureError) {
    try systemCall {
      let descriptor = try unsafe FileDescriptor.open(
        path, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: FilePermissions(rawValue: 0o644))
      try descriptor.closeAfter { _ = try descriptor.writeAll(octets) }
    } failure: {
      CaptureError(file: path, problem: .cannotWrite(errno: $0))
    }
  }

  private mutating func append32(_ value: UInt32) {
    for shift in stride(from: UInt32(0), to: 32, by: 8) { octets.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
