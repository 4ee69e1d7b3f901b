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
  /// Why a capture cannot be read any further.
  associatedtype Fault: Error

  /// The number of the capture that the packet in hand is of among those of one time, from 0.
  var capture: Int { get }
  /// The name of the current capture; nil between captures, and where several are read together.
  var name: String? { get }
  /// Capture time of the first packet of the current capture, in nanoseconds since the Unix epoch; nil without one.
  var firstTimestamp: Int64? { get }
  /// Capture time of the last packet of the capture that has ended last, the same; nil before that.
  var lastTimestamp: Int64? { get }
  /// Octets of all captures together; nil where that is not known.
  var size: Int? { get }
  /// Octets read from all captures so far.
  var octetsRead: Int { get }
  /// Packets that the capturing machines say they lost, up to here; nil if no capture says.
  var dropped: UInt64? { get }

  /// Goes on to the next packet, the next capture or the end.
  ///
  /// Throws when a capture cannot be read any further. The next call then goes on without that capture.
  mutating func advance() throws(Fault) -> PacketStep
  /// Hands over the packets that follow the one that `advance` found, without a step for each, until `body` returns false or something
  /// else than a packet comes, which `advance` then comes to. There may be none.
  ///
  /// Throws as `advance` does. Those handed over before are done with, and so is the packet that `advance` found.
  mutating func passOn(_ body: (Packet, RawSpan) -> Bool) throws(Fault)
  /// Lends the packet that `advance` found. Its octets are valid during the call only.
  func withPacket(_ body: (Packet, RawSpan) -> Void)
  /// Takes what the captures said since the last call, before the packet, the capture or the end that `advance` came to.
  mutating func takeEvents() -> [CaptureEvent]
}

extension PacketSequence where Self: ~Copyable {
  /// None: several captures are read together.
  public var name: String? { nil }
  /// None.
  public var firstTimestamp: Int64? { nil }
  /// None.
  public var lastTimestamp: Int64? { nil }

  /// Hands nothing over: each packet is a step.
  public mutating func passOn(_ body: (Packet, RawSpan) -> Bool) throws(Fault) {}
}

/// What a `PacketSequence` comes to.
public enum PacketStep: Equatable, Sendable {
  /// A packet, which `withPacket` lends.
  case packet
  /// The start of the next capture, before its first packet. If it continues, its packets follow those before, as those of files that
  /// were rotated do; if not, connections do not reach from the one into the other. The first capture does not continue.
  case capture(continues: Bool)
  /// The end of all captures.
  case end
}
