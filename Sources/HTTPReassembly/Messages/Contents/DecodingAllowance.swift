/// How much decoders may make before the next packet has its turn: a few hostile octets can ask for seconds of decoding, in
/// which nobody takes packets, looks at the clock or heeds a signal.
///
/// What one packet completes may be much, when it fills a hole. So what came in counts as well: a packet's allowance is
/// `Configuration.decodedAtOnceLimit` octets, and `Configuration.decodedAtOnceRatio` more for each coded octet that is decoded.
/// Contents as servers send them stay below that. It goes by packets, and not by the clock, so that the same packets
/// always give the same rows. Contents that are decoded as a whole, which may be later and elsewhere, have as much again.
public struct DecodingAllowance: Sendable {
  private let limit: Int
  private let ratio: Int
  private var left: Int
  /// The same, of contents that are decoded as a whole.
  private var leftToPostpone: Int
  /// The packet that it was renewed for, by its number.
  private var packet = 0
  /// Octets that came out of decoders since the beginning, those of each coding of a stack.
  public private(set) var spent = 0
  /// Octets of memory that a decoder may take for a window that is larger than usual: what nobody else takes.
  public internal(set) var memoryRoom = Int.max
  /// Octets of memory that all decoders of the source hold: whoever decodes says so.
  public var memoryHeld = 0

  /// An allowance of `limit` octets a packet, and of `ratio` octets for each coded one.
  public init(limit: Int, ratio: Int) {
    self.limit = limit
    self.ratio = ratio
    left = limit
    leftToPostpone = limit
  }

  /// One that does not run out.
  public static var endless: DecodingAllowance { DecodingAllowance(limit: .max, ratio: 0) }

  /// The packet of this number has its turn. Does nothing when it has it already.
  @inline(__always)
  mutating func renew(for packet: Int) {
    guard packet != self.packet else { return }
    self.packet = packet
    left = limit
    leftToPostpone = limit
  }

  /// Coded octets are about to be decoded.
  public mutating func earn(_ octets: Int) {
    let (more, isMost) = octets.multipliedReportingOverflow(by: ratio)
    let (sum, overflow) = left.addingReportingOverflow(more)
    left = isMost || overflow ? .max : sum
  }

  /// Whether more came out than there was: nothing more is to be decoded before more is earned than that.
  public var isExceeded: Bool { left < 0 }

  /// Whether a content may be decoded without looking at what it makes, which is at most so many octets. Beyond what is left for
  /// that, it has to be decoded at once, where each octet that comes out is looked at.
  public mutating func postpone(_ octets: Int) -> Bool {
    guard octets <= leftToPostpone else { return false }
    leftToPostpone -= octets
    return true
  }

  /// Octets came out of such a content.
  public mutating func note(_ octets: Int) { spent &+= octets }

  /// Octets came out; false when that is more than is left.
  public mutating func spend(_ octets: Int) -> Bool {
    spent &+= octets
    left -= octets
    return left >= 0
  }
}
