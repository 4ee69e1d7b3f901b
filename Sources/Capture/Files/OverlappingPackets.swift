import Packets

/// The packets of several captures of the same time, lent one by one in the order of time.
public protocol OverlappingPackets: ~Copyable {
  /// Why a capture cannot be read any further.
  associatedtype Fault: Error

  /// Which capture the packet that `advance` found is of, from 0, in the order of their first packets.
  var capture: Int { get }
  /// Octets read from all captures so far.
  var octetsRead: Int { get }

  /// Goes on to the packet that was captured next, in any of the captures. Returns false at the end of all.
  ///
  /// Throws when a capture cannot be read any further. The next call then goes on without that capture.
  mutating func advance() throws(Fault) -> Bool
  /// Lends the packet that `advance` found. Its octets are valid during the call only.
  func withPacket(_ body: (Packet, RawSpan) -> Void)
  /// Takes what the captures said since the last call, before the packet or the end that `advance` came to.
  mutating func takeEvents() -> [CaptureEvent]
}
