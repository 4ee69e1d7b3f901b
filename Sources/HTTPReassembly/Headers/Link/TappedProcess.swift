/// What a packet's own pseudo-header or trailer says of the process that it belongs to.
///
/// Names are ranges of the packet's octets, all of which were captured; an empty range says nothing.
struct TappedProcess: Sendable, Equatable {
  /// Who says so.
  enum Format: Sendable {
    /// Apple's packet tap (`<net/pktap.h>` of XNU).
    case pktap
    /// The trailer of PCAPdroid, which knows apps only.
    case pcapdroid
  }

  /// Which end of the packet the process is.
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

  /// The range of a text that ends with a zero, or has all of `limit` octets.
  static func text(_ octets: RawSpan, at start: Int, limit: Int) -> Range<Int> {
    var end = start
    while end < start + limit, end < octets.byteCount, octets.octet(end) != 0 { end += 1 }
    return start..<end
  }
}
