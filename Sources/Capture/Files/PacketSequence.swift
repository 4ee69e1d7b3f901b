import Packets

/// The packets of captures, lent one by one in the order in which a run takes them.
///
/// Read with
/// ```
/// while true {
///   do {
///     switch try packets.advance() {
///     case .capture(let continues): if !continues { … }
///     case .packet: packets.withPacket { packet, octets in … }
///     case .end: return
///     }
///   } catch { … }
/// }
/// ```
public protocol PacketSequence: ~Copyable {
  /// The error when a capture cannot be read any further.
  associatedtype Fault: Error

  /// The number of the current packet's capture among those of one time, from 0.
  var capture: Int { get }
  /// The name of the current capture; nil between captures, and where several are read together.
  var name: String? { get }
  /// Capture time of the first packet of the current capture, in nanoseconds since the Unix epoch; nil without one.
  var firstTimestamp: Int64? { get }
  /// Capture time of the last packet of the latest capture that ended, in nanoseconds since the Unix epoch; nil before that.
  var lastTimestamp: Int64? { get }
  /// Octets of all captures together; nil if unknown.
  var size: Int? { get }
  /// Octets read from all captures so far.
  var octetsRead: Int { get }
  /// Packets that the capturing machines reported as lost, up to here; nil if no capture has the figure.
  var dropped: UInt64? { get }

  /// Moves to the next packet, the next capture or the end.
  ///
  /// Throws when a capture cannot be read any further. The next call continues without that capture.
  mutating func advance() throws(Fault) -> PacketStep
  /// Hands over the packets after the one that `advance` found, without a step for each. It ends when `body` returns false, or at
  /// a step other than a packet, which `advance` then returns. There may be no packets.
  ///
  /// Throws as `advance` does. The packets that were handed over, and the one that `advance` found, are no longer available.
  mutating func passOn(_ body: (Packet, RawSpan) -> Bool) throws(Fault)
  /// Lends the packet that `advance` found. Its octets are valid during the call only.
  func withPacket(_ body: (Packet, RawSpan) -> Void)
  /// Removes and returns the captures' events since the last call: those before the packet, the capture or the end that `advance`
  /// found.
  mutating func takeEvents() -> [CaptureEvent]
}

extension PacketSequence where Self: ~Copyable {
  /// Nil, because several captures are read together.
  public var name: String? { nil }
  /// Nil, because several captures are read together.
  public var firstTimestamp: Int64? { nil }
  /// Nil, because several captures are read together.
  public var lastTimestamp: Int64? { nil }

  /// Hands over no packets: each packet is a step.
  public mutating func passOn(_ body: (Packet, RawSpan) -> Bool) throws(Fault) {}
}

/// A step of a `PacketSequence`.
public enum PacketStep: Equatable, Sendable {
  /// A packet, which `withPacket` lends.
  case packet
  /// The start of the next capture, before its first packet. If it continues, its packets follow the earlier ones, as in rotated
  /// files. If not, no connection spans both. The first capture does not continue.
  case capture(continues: Bool)
  /// The end of all captures.
  case end
}
