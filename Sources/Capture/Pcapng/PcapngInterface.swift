import Packets

/// The description of an interface (draft-ietf-opsawg-pcapng §4.2), and its losses.
struct PcapngInterface {
  let linkType: LinkType
  /// The number in `PacketOrigin.interface`.
  var number: UInt16 = 0
  /// The largest number of octets captured of a packet; 0 is no limit.
  let snapshotLength: Int
  let frameCheckSequenceLength: Int
  let resolution: PcapngTimestampResolution
  private var losses = Losses()

  /// Two accounts of the same losses.
  private struct Losses {
    /// Sum of the losses that packets report, each since the packet before it.
    var byPackets: UInt64?
    /// The latest interface statistics, which count from the start of the capture.
    var byStatistics: UInt64?
  }

  /// Adds `count` lost packets, which a packet reports since the one before it.
  mutating func addLoss(_ count: UInt64) {
    losses.byPackets = (losses.byPackets ?? 0).addingSaturated(count)
  }

  /// Sets the losses to `count`, which a statistics block reports since the capture's start.
  mutating func setLoss(_ count: UInt64) {
    losses.byStatistics = count
  }

  /// Packets lost on this interface; nil when the file has no such figure. It is the larger of the two accounts, because a cut
  /// capture lacks its last statistics.
  var dropped: UInt64? {
    guard let packets = losses.byPackets else { return losses.byStatistics }
    return max(packets, losses.byStatistics ?? 0)
  }
}

extension PcapngInterface {
  /// Reads the body of a block of `length` octets, which the window holds whole. Returns the interface, and its names.
  ///
  /// Throws when its options overrun the block. Elsewhere a broken option only loses a comment, but here each timestamp depends
  /// on them.
  static func read(
    in window: borrowing OctetWindow, order: ByteOrder, length: Int
  ) throws(CaptureError) -> (interface: PcapngInterface, record: InterfaceRecord) {
    typealias Field = PcapngFormat.InterfaceDescription
    let linkType = LinkType(rawValue: UInt32(order(window.load(Field.linkType, as: UInt16.self))))
    var record = InterfaceRecord(name: "", details: "", linkType: linkType)
    var resolution: UInt8 = 6
    var offsetSeconds: Int64 = 0
    var frameCheckSequence: UInt8 = 0
    var options = PcapngOptions(Field.options..<length - PcapngFormat.Block.trailerLength, order: order)
    while let option = options.next(in: window) {
      let value = option.value
      switch (option.code, value.count) {
      case (Field.nameOption, _): record.name = window.text(value, limit: CaptureLimits.originTextLength)
      case (Field.descriptionOption, _): record.details = window.text(value, limit: CaptureLimits.originTextLength)
      case (Field.resolutionOption, 1): resolution = window.load(value.lowerBound, as: UInt8.self)
      case (Field.frameCheckSequenceOption, 1): frameCheckSequence = window.load(value.lowerBound, as: UInt8.self)
      case (Field.offsetOption, 8): offsetSeconds = order(window.load(value.lowerBound, as: Int64.self))
      default: break
      }
    }
    guard !options.isMalformed else { throw window.error(.malformed("an interface's options overrun their block")) }
    let interface = PcapngInterface(
      linkType: linkType,
      snapshotLength: Int(order(window.load(Field.snapshotLength, as: UInt32.self))),
      // The specification says bits, but its example 4 is the octets of Ethernet's; Wireshark reads octets. No frame check
      // sequence has fewer than 8 bits or more than 7 octets.
      frameCheckSequenceLength: Int(frameCheckSequence < 8 ? frameCheckSequence : frameCheckSequence / 8),
      resolution: PcapngTimestampResolution(resolution, offsetSeconds: offsetSeconds))
    return (interface, record)
  }

  private init(
    linkType: LinkType, snapshotLength: Int, frameCheckSequenceLength: Int, resolution: PcapngTimestampResolution
  ) {
    self.linkType = linkType
    self.snapshotLength = snapshotLength
    self.frameCheckSequenceLength = frameCheckSequenceLength
    self.resolution = resolution
  }
}

/// The unit of a pcapng interface's timestamps: its `if_tsresol` and `if_tsoffset` (draft-ietf-opsawg-pcapng §4.2).
struct PcapngTimestampResolution: Equatable {
  /// Nanoseconds of a tick, if they are a whole number and nothing is to be added; else 0.
  private let wholeNanoseconds: UInt64
  // Nanoseconds are `(ticks * multiplier / divisor) >> shift + offset`.
  private let multiplier: Int128
  private let divisor: Int128
  private let shift: Int
  private let offset: Int128

  /// Takes the option's octet, whose default is 6 (microseconds), and the seconds to add to each timestamp.
  init(_ option: UInt8 = 6, offsetSeconds: Int64 = 0) {
    let exponent = Int(option & 0x7f)
    offset = Int128(offsetSeconds) * 1_000_000_000
    if option & 0x80 != 0 {
      (multiplier, divisor, shift) = (1_000_000_000, 1, exponent)
    } else if exponent <= 9 {
      (multiplier, divisor, shift) = (Self.power(10, 9 - exponent), 1, 0)
    } else {
      // 64 bits of ticks are below 10^20, so more than 29 digits leave nothing of them.
      (multiplier, divisor, shift) = (1, Self.power(10, min(exponent - 9, 20)), 0)
    }
    wholeNanoseconds = divisor == 1 && shift == 0 && offset == 0 ? UInt64(multiplier) : 0
  }

  /// Nanoseconds since the Unix epoch, rounded down, and saturated to 64 bits (to the year 2262).
  @inline(__always)
  func nanoseconds(_ ticks: UInt64) -> Int64 {
    let (product, overflow) = ticks.multipliedReportingOverflow(by: wholeNanoseconds)
    if wholeNanoseconds != 0, !overflow, let result = Int64(exactly: product) { return result }
    return exactNanoseconds(ticks)
  }

  @inline(never)
  private func exactNanoseconds(_ ticks: UInt64) -> Int64 {
    var value = Int128(ticks) * multiplier
    if divisor != 1 { value /= divisor }
    return Int64(clamping: (value >> shift) + offset)
  }

  private static func power(_ base: Int128, _ exponent: Int) -> Int128 {
    (0..<exponent).reduce(1) { product, _ in product * base }
  }
}

extension UInt64 {
  /// The sum, saturated: hostile counts must not stop the program.
  func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
