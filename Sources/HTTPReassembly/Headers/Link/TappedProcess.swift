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
