// PCAPdroid's captures: an invented Ethernet header, the packet, and a trailer that names the app.

extension Dissection {
  /// Octets of the trailer: magic, user id, app name (20), check sequence.
  private static let pcapdroidTrailerLength = 32

  /// Marks the whole link layer as invented when PCAPdroid's trailer lies behind the IP packet that ends at `packetEnd`.
  @inline(__always)
  mutating func markPCAPdroid(_ octets: RawSpan, packetEnd: Int) {
    // The capture may or may not declare the trailer's last four octets as a check sequence; `link` has them either way.
    guard wireLength - packetEnd == Self.pcapdroidTrailerLength, packetEnd + 4 <= captured,
      octets.bigEndian32(packetEnd) == 0x0107_2021
    else { return }
    synthetic = link
  }
}
