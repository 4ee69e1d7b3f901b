/// Facts about a captured packet. Its octets are lent with it as a `RawSpan` for one call.
///
/// The length of the span is the captured length, which is at most `originalLength`.
public struct Packet: Sendable, Equatable {
  /// Capture time in nanoseconds since the Unix epoch, as the capture recorded it.
  public var timestamp: Int64
  /// Length on the wire in octets, as the capture recorded it.
  public var originalLength: Int
  /// The type of the packet's first header.
  public var linkType: LinkType
  /// The interface and the process of the packet, as far as the capture names them.
  public var origin = PacketOrigin()
  /// Octets of the frame check sequence at the packet's end, as the capture declares; usually 0.
  public var frameCheckSequenceLength: Int
  /// The place where its octets can be read again; nil if they cannot.
  public var captureOffset: CaptureOffset?

  /// Creates a packet's facts.
  @inlinable
  public init(timestamp: Int64, originalLength: Int, linkType: LinkType, frameCheckSequenceLength: Int = 0) {
    self.timestamp = timestamp
    self.originalLength = originalLength
    self.linkType = linkType
    self.frameCheckSequenceLength = frameCheckSequenceLength
  }
}

/// The origin of a packet, and the capture's facts about it.
///
/// The numbers count from 1, in the order of the capture's descriptions. An event of the reader (`CaptureEvent` in Capture) explains each
/// number once, before the first packet with it. The number 0 means that the capture says nothing, or that no number was left. Equal things
/// in several sections and files of one series have the same number.
public struct PacketOrigin: Hashable, Sendable {
  /// The capture's facts about a packet, in one bit each.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt16

    /// Wraps bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The capturing machine received the packet (`epb_flags`, draft-ietf-opsawg-pcapng §4.3.1).
    @inlinable public static var inbound: Flags { Flags(rawValue: 1 << 0) }
    /// The capturing machine sent the packet (`epb_flags`).
    @inlinable public static var outbound: Flags { Flags(rawValue: 1 << 1) }
    /// The packet has a comment (`opt_comment`), with or without a number.
    @inlinable public static var comment: Flags { Flags(rawValue: 1 << 2) }
    /// The packet is the first one of its flow (Apple's packet flags).
    @inlinable public static var newFlow: Flags { Flags(rawValue: 1 << 3) }
    /// The packet only keeps its connection alive (Apple's packet flags).
    @inlinable public static var keepAlive: Flags { Flags(rawValue: 1 << 4) }
    /// The sender says that it sent the packet before (Apple's packet flags).
    @inlinable public static var retransmission: Flags { Flags(rawValue: 1 << 5) }
    /// The packet belongs to a socket (Apple's packet flags).
    @inlinable public static var socket: Flags { Flags(rawValue: 1 << 6) }
    /// The packet belongs to a nexus channel, Apple's network stack in user space (Apple's packet flags).
    @inlinable public static var nexus: Flags { Flags(rawValue: 1 << 7) }
    /// The packet woke the machine up (Apple's packet flags).
    @inlinable public static var wake: Flags { Flags(rawValue: 1 << 8) }
    /// The capturing system says that it dropped the packet (Apple's drop reason): from there on, it was on no wire.
    @inlinable public static var dropped: Flags { Flags(rawValue: 1 << 9) }
  }

  /// All facts in one word, so that copying a packet is as fast as without them.
  @usableFromInline var word: UInt64

  /// Creates an origin. By default, the capture says nothing.
  @inlinable @inline(__always)
  public init(interface: UInt16 = 0) {
    word = Field.interface.word(interface)
  }

  /// Number of the interface, 0 to 8,191.
  @inlinable public var interface: UInt16 {
    get { Field.interface.value(word) }
    set { Field.interface.set(newValue, in: &word) }
  }

  /// Number of the process that the packet belongs to, 0 to 16,383.
  @inlinable public var process: UInt16 {
    get { Field.process.value(word) }
    set { Field.process.set(newValue, in: &word) }
  }

  /// Number of the process that this process acts for, 0 to 16,383.
  @inlinable public var effectiveProcess: UInt16 {
    get { Field.effectiveProcess.value(word) }
    set { Field.effectiveProcess.set(newValue, in: &word) }
  }

  /// Number of the packet's comment, 0 to 8,191. It is also 0 for a comment that is not kept, which `Flags.comment` shows.
  @inlinable public var comment: UInt16 {
    get { Field.comment.value(word) }
    set { Field.comment.set(newValue, in: &word) }
  }

  /// The facts in one bit each.
  @inlinable public var flags: Flags {
    get { Flags(rawValue: Field.flags.value(word)) }
    set { Field.flags.set(newValue.rawValue, in: &word) }
  }

  /// Whether the capture names a process of the packet, has a comment on it, or says that it was dropped. These concern the analysis of one
  /// packet. Most packets have none.
  @inlinable @inline(__always) package var concernsPacket: Bool { word & Self.concerning != 0 }

  /// The bits of both processes, the comment, and the flags `comment` and `dropped`. They are constant, since most packets are tested.
  @inlinable @inline(__always)
  static var concerning: UInt64 { 0x3fff << 13 | 0x3fff << 27 | 0x1fff << 41 | 0b10_0000_0100 << 54 }

  /// Bits of the word. A value that does not fit becomes 0.
  @usableFromInline struct Field {
    @usableFromInline let shift: UInt64
    @usableFromInline let width: UInt64

    @inlinable @inline(__always)
    init(shift: UInt64, width: UInt64) {
      self.shift = shift
      self.width = width
    }

    @inlinable static var interface: Field { Field(shift: 0, width: 13) }
    @inlinable static var process: Field { Field(shift: 13, width: 14) }
    @inlinable static var effectiveProcess: Field { Field(shift: 27, width: 14) }
    @inlinable static var comment: Field { Field(shift: 41, width: 13) }
    @inlinable static var flags: Field { Field(shift: 54, width: 10) }

    @inlinable @inline(__always)
    func value(_ word: UInt64) -> UInt16 { UInt16(truncatingIfNeeded: word >> shift & (1 << width - 1)) }

    @inlinable @inline(__always)
    func word(_ value: UInt16) -> UInt64 { UInt64(value) >> width == 0 ? UInt64(value) << shift : 0 }

    @inlinable @inline(__always)
    func set(_ value: UInt16, in word: inout UInt64) {
      word = word & ~((1 << width - 1) << shift) | self.word(value)
    }
  }
}

/// The place of a packet's octets in a capture that can be read again.
public struct CaptureOffset: Sendable, Equatable {
  /// Number of the capture among those that `CapturedOctets` reads.
  public var capture: Int32
  /// Offset of the packet's first octet in the capture.
  public var offset: Int

  /// Creates an offset in a capture.
  @inlinable
  public init(capture: Int32, offset: Int) {
    self.capture = capture
    self.offset = offset
  }
}

/// Reads octets of captures again.
public protocol CapturedOctets: AnyObject {
  /// Writes the `count` octets from `source` on to the start of `buffer`, which grows if necessary. Returns false if they cannot be read
  /// any more.
  func read(_ count: Int, from source: CaptureOffset, into buffer: inout [UInt8]) -> Bool
}
