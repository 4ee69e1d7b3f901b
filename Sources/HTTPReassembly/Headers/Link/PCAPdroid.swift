// PCAPdroid's captures: an invented Ethernet header, the packet, and a trailer that names the app.

extension Dissection {
  /// Octets of the trailer: magic (4), user identifier (4), app name (20), check sequence (4).
  private static let pcapdroidTrailerLength = 32
  /// Where the name of the app is, in octets from the trailer's start, and how long it may be.
  private static let pcapdroidName = 8..<28

  /// Marks the whole link layer as invented when PCAPdroid's trailer lies behind the IP packet that ends at `packetEnd`.
  ///
  /// Up to three octets of padding lie before the trailer, so that it starts at a multiple of four.
  @inline(__always)
  mutating func markPCAPdroid(_ octets: RawSpan, packetEnd: Int) {
    // The capture may or may not declare the trailer's last four octets as a check sequence; `link` has them either way.
    let trailer = wireLength - Self.pcapdroidTrailerLength
    guard packetEnd...packetEnd + 3 ~= trailer, trailer + 4 <= captured, octets.bigEndian32(trailer) == 0x0107_2021
    else { return }
    synthetic = link
    noteApp(octets, trailer: trailer)
  }

  /// Notes the app, which is known by its name only: the user identifier is none of a process. -1 is nobody's.
  private mutating func noteApp(_ octets: RawSpan, trailer: Int) {
    guard trailer + Self.pcapdroidName.upperBound <= captured, octets.bigEndian32(trailer + 4) != .max else { return }
    let name = TappedProcess.text(
      octets, at: trailer + Self.pcapdroidName.lowerBound, limit: Self.pcapdroidName.count)
    if !name.isEmpty { process = TappedProcess(format: .pcapdroid, app: name) }
  }
}
