import Packets

/// The records of a pcap file, in the version of its file header.
///
/// Format: draft-ietf-opsawg-pcap and pcap-savefile(5). The file header's time zone and accuracy are ignored, as in all programs.
struct PcapRecords {
  /// Offsets of the file header's fields, in octets.
  private enum FileHeader {
    static let majorVersion = 4
    static let minorVersion = 6
    static let network = 20
    static let length = 24
  }

  /// Offsets of a record header's fields, in octets.
  private enum RecordHeader {
    /// Seconds (4), and their fraction (4).
    static let time = 0
    /// The captured and the original length (4 each), in the order of `LengthOrder`.
    static let lengths = 8
    static let length = 16
    /// The length in the files of Alexey Kuznetzov's libpcap.
    static let modifiedLength = 24
  }

  private let order: ByteOrder
  /// Nanoseconds in one unit of a timestamp's fraction: 1,000, or 1 in nanosecond files.
  private let nanosecondsPerFraction: Int64
  private let recordHeaderLength: Int
  private let lengths: LengthOrder
  private let linkType: LinkType
  private let frameCheckSequenceLength: Int

  /// The order of a record's two lengths. It was reversed before version 2.3, and either in 2.3.
  private enum LengthOrder {
    case capturedFirst
    case originalFirst
    case smallerFirst
  }

  /// The variant that a magic number shows; nil for other numbers.
  struct Magic {
    let order: ByteOrder
    let nanosecondsPerFraction: Int64
    /// Whether record headers have 8 more octets, which Alexey Kuznetzov's patch of libpcap added for Linux.
    let isModified: Bool

    init?(_ littleEndian: UInt32) {
      switch littleEndian {
      case 0xa1b2_c3d4: (order, nanosecondsPerFraction, isModified) = (.little, 1000, false)
      case 0xd4c3_b2a1: (order, nanosecondsPerFraction, isModified) = (.big, 1000, false)
      case 0xa1b2_3c4d: (order, nanosecondsPerFraction, isModified) = (.little, 1, false)
      case 0x4d3c_b2a1: (order, nanosecondsPerFraction, isModified) = (.big, 1, false)
      case 0xa1b2_cd34: (order, nanosecondsPerFraction, isModified) = (.little, 1000, true)
      case 0x34cd_b2a1: (order, nanosecondsPerFraction, isModified) = (.big, 1000, true)
      default: return nil
      }
    }
  }

  /// Reads the file header, whose magic number is known.
  init(magic: Magic, in window: inout OctetWindow) throws(CaptureError) {
    guard try window.fill(FileHeader.length) else {
      throw window.error(.cut(needed: FileHeader.length, available: window.available))
    }
    order = magic.order
    nanosecondsPerFraction = magic.nanosecondsPerFraction
    recordHeaderLength = magic.isModified ? RecordHeader.modifiedLength : RecordHeader.length
    let major = order(window.load(FileHeader.majorVersion, as: UInt16.self))
    let minor = order(window.load(FileHeader.minorVersion, as: UInt16.self))
    switch (major, minor) {
    case (2, 4...): lengths = .capturedFirst
    case (2, 3): lengths = .smallerFirst
    // An old DG/UX tcpdump wrote 543.0.
    case (2, _), (543, 0): lengths = .originalFirst
    default: throw window.error(.unsupported("pcap version \(major).\(minor)"))
    }
    let network = order(window.load(FileHeader.network, as: UInt32.self))
    linkType = LinkType(rawValue: network & 0xffff)
    // Bit 26 says that the length of the frame check sequence is known; the top four bits are its number of 16-bit words.
    frameCheckSequenceLength = network & 0x0400_0000 == 0 ? 0 : Int(network >> 28) * 2
    window.pass(FileHeader.length)
  }

  /// The variant in words.
  var formatDescription: String {
    let modified = recordHeaderLength == RecordHeader.modifiedLength ? "modified " : ""
    let resolution = nanosecondsPerFraction == 1 ? "nanoseconds" : "microseconds"
    return "\(modified)pcap (\(resolution), \(order == .little ? "little" : "big")-endian)"
  }

  /// Octets of zeros that are a tail of zeros where the packet before has a time.
  private static let leastZeros = 64
  /// Octets of zeros that are a tail of zeros in any place. So many packets without octets, all at time 0, are in no capture.
  private static let manyZeros = 4096

  /// Refuses a record without octets that is none: another file's header, or zeros. `before` is the time of the packet before.
  @inline(never)
  private func refuseFileHeader(after before: Int64, in window: inout OctetWindow) throws(CaptureError) {
    if window.beginsCapture { throw window.error(.anotherCapture(commands: "")) }
    // A packet without octets at time 0 may be one. Packets read on where zeros are few, or end.
    guard window.load(0, as: UInt64.self) == 0, window.load(8, as: UInt64.self) == 0 else { return }
    let count = try window.fill(Self.manyZeros) ? Self.manyZeros : window.available
    guard count >= (before == 0 ? Self.manyZeros : Self.leastZeros) else { return }
    let areZeros = window.withOctets(0..<count) { octets in
      (0..<octets.byteCount).allSatisfy { octets.octet($0) == 0 }
    }
    if areZeros { throw window.error(.zeros) }
  }

  /// Reads a record, and returns its range in the window's buffer; nil at the end of the file.
  @inline(__always)
  func next(in window: inout OctetWindow, packet: inout Packet) throws(CaptureError) -> Range<Int>? {
    guard try window.fill(recordHeaderLength) else {
      if window.available == 0 { return nil }
      throw window.error(.cut(needed: recordHeaderLength, available: window.available))
    }
    let (seconds, fraction) = order.halves(window.load(RecordHeader.time, as: UInt64.self))
    let (first, second) = order.halves(window.load(RecordHeader.lengths, as: UInt64.self))
    var (captured, original) = (Int(first), Int(second))
    if lengths == .originalFirst || lengths == .smallerFirst && captured > original { swap(&captured, &original) }
    if captured == 0 { try refuseFileHeader(after: packet.timestamp, in: &window) }
    guard captured <= CaptureLimits.packet else {
      if window.beginsCapture { throw window.error(.anotherCapture(commands: "")) }
      throw window.error(
        .nonsenseLength("the record says that \(captured) bytes were captured, more than \(CaptureLimits.packet)"))
    }
    guard try window.fill(recordHeaderLength + captured) else {
      throw window.error(.cut(needed: recordHeaderLength + captured, available: window.available))
    }
    // 32 bits of seconds end in 2106, so this cannot overflow.
    packet.timestamp = Int64(seconds) * 1_000_000_000 + Int64(fraction) * nanosecondsPerFraction
    // Some writers store an original length without a header that they added; the captured octets count.
    packet.originalLength = max(original, captured)
    packet.linkType = linkType
    packet.frameCheckSequenceLength = frameCheckSequenceLength
    let record = window.pass(recordHeaderLength + captured)
    return record.lowerBound + recordHeaderLength..<record.upperBound
  }
  // MARK: Repaired files

  /// Records in a row that are no chance.
  private static let convincingRecords = 4
  /// Seconds between neighboring packets of a capture, at most.
  private static let longestPause: Int64 = 86_400

  /// Whether records follow one another from some octet on, with a line feed among them. The octets are those of a broken file, after its
  /// line feeds lost the carriage returns before them.
  func areFound(in octets: [UInt8]) -> Bool {
    octets.indices.prefix(CaptureLimits.packet).contains { areRecords(octets, from: $0) }
  }

  private func areRecords(_ octets: [UInt8], from start: Int) -> Bool {
    var position = start
    var time: Int64?
    var count = 0
    while position <= octets.count - recordHeaderLength {
      let seconds = Int64(number(octets, position + RecordHeader.time))
      var captured = Int(number(octets, position + RecordHeader.lengths))
      var original = Int(number(octets, position + RecordHeader.lengths + 4))
      if lengths == .originalFirst || lengths == .smallerFirst && captured > original { swap(&captured, &original) }
      guard captured > 0, captured <= original, original <= CaptureLimits.packet else { return false }
      if let time, abs(seconds - time) > Self.longestPause { return false }
      time = seconds
      count += 1
      // The header here proves the lengths before it. The file's end proves the last one, so that two are enough.
      if count > Self.convincingRecords { return octets[start..<position].contains(0x0a) }
      position += recordHeaderLength + captured
      if count > 1, position == octets.count { return octets[start...].contains(0x0a) }
    }
    return false
  }

  private func number(_ octets: [UInt8], _ offset: Int) -> UInt32 {
    order((0..<4).reduce(0) { $0 | UInt32(octets[offset + $1]) << (8 * $1) })
  }
}
