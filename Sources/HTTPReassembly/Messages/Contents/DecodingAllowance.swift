/// The amount that decoders may produce before the next packet's turn. A few hostile octets can ask for seconds of decoding; meanwhile
/// packets, the clock and signals wait.
///
/// One packet can complete a lot of content when it fills a gap, so coded octets count too. A packet's allowance is
/// `Configuration.decodedAtOnceLimit` octets, and `Configuration.decodedAtOnceRatio` more for each coded octet that is decoded. Contents
/// from usual servers stay below it. The allowance goes by packets, not by the clock, so the same packets always give the same rows.
/// Contents that are decoded as a whole, maybe later and on another thread, have as much again.
///
/// Very many small packets could each use their allowance. So all packets together have one, too, for what decoders make as octets come:
/// `Configuration.decodedTotalLimit` octets, and `Configuration.decodedTotalRatio` for each coded octet. Coded octets fill it up again.
public struct DecodingAllowance: Sendable {
  private let limit: Int
  private let ratio: Int
  private var left: Int
  private let totalLimit: Int
  private let totalRatio: Int
  /// Octets left for all packets together.
  private var totalLeft: Int
  /// Octets left for contents that are decoded as a whole.
  private var leftToPostpone: Int
  /// The number of the packet that the allowance was last renewed for.
  private var packet = 0
  /// Octets that decoders produced so far, at each coding of a stack.
  public private(set) var spent = 0
  /// Octets of unused memory that a decoder may take for a larger window than usual.
  public internal(set) var memoryRoom = Int.max
  /// Octets of memory that all decoders of the source hold. The decoding side sets it.
  public var memoryHeld = 0

  /// Creates an allowance of `limit` octets for each packet, and `ratio` octets for each coded octet. All packets together have
  /// `totalLimit` octets, and `totalRatio` for each coded octet.
  public init(limit: Int, ratio: Int, totalLimit: Int = .max, totalRatio: Int = 0) {
    self.limit = limit
    self.ratio = ratio
    self.totalLimit = totalLimit
    self.totalRatio = totalRatio
    left = limit
    totalLeft = totalLimit
    leftToPostpone = limit
  }

  /// An allowance without limit.
  public static var endless: DecodingAllowance { DecodingAllowance(limit: .max, ratio: 0) }

  /// Renews the allowance for the packet of this number. Does nothing if the packet has it already.
  @inline(__always)
  mutating func renew(for packet: Int) {
    guard packet != self.packet else { return }
    self.packet = packet
    left = limit
    leftToPostpone = limit
  }

  /// Adds to the allowance for coded octets that are about to be decoded.
  public mutating func earn(_ octets: Int) {
    left = Self.sum(left, octets, ratio)
    totalLeft = min(Self.sum(totalLeft, octets, totalRatio), totalLimit)
  }

  private static func sum(_ left: Int, _ octets: Int, _ ratio: Int) -> Int {
    let (more, isMost) = octets.multipliedReportingOverflow(by: ratio)
    let (sum, overflow) = left.addingReportingOverflow(more)
    return isMost || overflow ? .max : sum
  }

  /// Whether the output exceeds the allowance. Decoding must stop until enough is earned.
  public var isExceeded: Bool { left < 0 || totalLeft < 0 }

  /// Whether a content with at most so many octets of output may be decoded without counting them. If not, it has to be decoded at once,
  /// with each octet of output counted.
  public mutating func postpone(_ octets: Int) -> Bool {
    guard octets <= leftToPostpone else { return false }
    leftToPostpone -= octets
    return true
  }

  /// Counts octets of output from such a content.
  public mutating func note(_ octets: Int) { spent &+= octets }

  /// Counts octets of output; false if they exceed the allowance.
  public mutating func spend(_ octets: Int) -> Bool {
    spent &+= octets
    left -= octets
    totalLeft -= octets
    return !isExceeded
  }
}
