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

/// The process of a packet, as the packet's own pseudo-header or trailer names it.
///
/// Names are ranges of captured octets of the packet. An empty range says nothing.
struct TappedProcess: Sendable, Equatable {
  /// The header or trailer that names the process.
  enum Format: Sendable {
    /// Apple's packet tap (`<net/pktap.h>` of XNU).
    case pktap
    /// The trailer of PCAPdroid, which knows apps only.
    case pcapdroid
  }

  /// The process's end of the packet.
  enum Party: Sendable {
    /// The capture does not say.
    case unknown
    /// The packet was captured on its way out.
    case sender
    /// The packet was captured on its way in.
    case receiver
  }

  var format: Format
  /// The process identifier; nil when there is none.
  var identifier: UInt32?
  var name = 0..<0
  /// The process on whose behalf it acts, or the app.
  var app = 0..<0
  var party = Party.unknown

  /// The range of a text that ends with a zero, or fills all of `limit` octets.
  static func text(_ octets: RawSpan, at start: Int, limit: Int) -> Range<Int> {
    var end = start
    while end < start + limit, end < octets.byteCount, octets.octet(end) != 0 { end += 1 }
    return start..<end
  }
}
