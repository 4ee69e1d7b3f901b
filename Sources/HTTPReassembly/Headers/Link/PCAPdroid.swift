// PCAPdroid's captures: an invented Ethernet header, the packet, and a trailer that names the app.

extension Dissection {
  /// Octets of the trailer: magic (4), user identifier (4), app name (20), check sequence (4).
  private static let pcapdroidTrailerLength = 32
  /// The range of the app's name, in octets from the trailer's start.
  private static let pcapdroidName = 8..<28

  /// Marks the whole link layer as invented if PCAPdroid's trailer lies behind the IP packet that ends at `packetEnd`.
  ///
  /// Up to three octets of padding align the trailer to a multiple of four.
  @inline(__always)
  mutating func markPCAPdroid(_ octets: RawSpan, packetEnd: Int) {
    // A capture may declare the trailer's last four octets as a check sequence. They are class `link` either way.
    let trailer = wireLength - Self.pcapdroidTrailerLength
    guard packetEnd...packetEnd + 3 ~= trailer, trailer + 4 <= captured, octets.bigEndian32(trailer) == 0x0107_2021
    else { return }
    synthetic = link
    noteApp(octets, trailer: trailer)
  }

  /// Notes the app by its name. The user identifier is not a process identifier, and -1 stands for no app.
  private mutating func noteApp(_ octets: RawSpan, trailer: Int) {
    guard trailer + Self.pcapdroidName.upperBound <= captured, octets.bigEndian32(trailer + 4) != .max else { return }
    let name = TappedProcess.text(
      octets, at: trailer + Self.pcapdroidName.lowerBound, limit: Self.pcapdroidName.count)
    if !name.isEmpty { process = TappedProcess(format: .pcapdroid, app: name) }
  }
}
