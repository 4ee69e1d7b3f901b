import Packets

/// A name that a capture gives for an address (pcapng name resolution block).
public struct NameRecord: Equatable, Sendable {
  /// The address.
  public var address: IPAddress
  /// The name's octets as the file has them, without the terminating zero: usually ASCII, but hostile.
  public var name: [UInt8]
}
