import Packets

/// An event between the packets of a capture.
///
/// Packets are not events: `CaptureReader` and `CaptureSeries` lend them one by one. Each event can be taken before the next
/// packet of the file.
public enum CaptureEvent: Equatable, Sendable {
  /// A name of an address.
  case name(NameRecord)
  /// Secrets that decrypt packets of this capture.
  case secrets(SecretsRecord)
  /// An interface, before its first packet.
  case interface(InterfaceRecord)
  /// A process, before its first packet.
  case process(ProcessRecord)
  /// An app of an Android device, before the first packet of its user.
  case app(AppRecord)
  /// A comment, before the first packet that has it.
  case comment(CommentRecord)
  /// The number of packets that the capturing machines reported as lost so far; only the latest figure is kept.
  case drops(UInt64)
  /// The latest time, in nanoseconds since the Unix epoch, at which the capturing machine was still capturing.
  case timePassed(Int64)
}

/// A capture's name for an address (name resolution block, draft-ietf-opsawg-pcapng §4.5).
public struct NameRecord: Hashable, Sendable {
  /// The address.
  public var address: IPAddress
  /// The name's octets as in the file, 1 to 255, without the terminating zero: usually ASCII, but hostile.
  public var name: [UInt8]

  package init(address: IPAddress, name: [UInt8]) {
    self.address = address
    self.name = name
  }
}

/// Secrets that a capture carries for its own packets (decryption secrets block, draft-ietf-opsawg-pcapng §4.7).
public struct SecretsRecord: Hashable, Sendable {
  /// The format of the secrets.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The number in the block.
    public var rawValue: UInt32

    /// A kind with this number, known or not.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Lines of a TLS key log (RFC 9850).
    public static let tlsKeyLog = Kind(rawValue: 0x544c_534b)
  }

  /// The format of the secrets.
  public var kind: Kind
  /// The secrets' octets as in the file, without padding.
  public var octets: [UInt8]
}

extension SecretsRecord: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind and the length. The octets are secret, and no text shows them.
  public var description: String { "secrets of kind 0x\(String(kind.rawValue, radix: 16)), \(octets.count) bytes" }
  /// As `description`.
  public var debugDescription: String { description }
}

/// An interface that packets were captured on (interface description block, draft-ietf-opsawg-pcapng §4.2).
public struct InterfaceRecord: Hashable, Sendable {
  /// Its number in `PacketOrigin.interface`.
  public var number: UInt16 = 0
  /// Its name (`if_name`), cut to 255 octets; empty if the capture has none.
  public var name: String
  /// Its description (`if_description`), cut to 255 octets; empty if the capture has none.
  public var details: String
  /// The protocol at the first octet of its packets.
  public var linkType: LinkType
}

/// A process that owns packets (Apple's process event block, type 0x80000001).
public struct ProcessRecord: Hashable, Sendable {
  /// Its number in `PacketOrigin.process`.
  public var number: UInt16 = 0
  /// The process identifier on the capturing machine.
  public var identifier: UInt32
  /// Its name, cut to 255 octets; empty if the capture has none.
  public var name: String
  /// The path of its program, cut to 1,024 octets; empty if the capture has none.
  public var path: String
  /// The 16 octets of its UUID; empty if the capture has none.
  public var uuid: [UInt8]

  package init(number: UInt16 = 0, identifier: UInt32, name: String, path: String, uuid: [UInt8]) {
    self.number = number
    self.identifier = identifier
    self.name = name
    self.path = path
    self.uuid = uuid
  }
}

/// The app of a user identifier (PCAPdroid's custom block): Android gives each app a user of its own.
public struct AppRecord: Hashable, Sendable {
  /// The user identifier; comments of packets have it as `u-` and the number.
  public var user: Int32
  /// The name of its package, up to 255 octets.
  public var package: String
  /// Its name for people, up to 255 octets.
  public var name: String

  package init(user: Int32, package: String, name: String) {
    self.user = user
    self.package = package
    self.name = name
  }
}

/// A comment on one or more packets (`opt_comment`, draft-ietf-opsawg-pcapng §3.5).
public struct CommentRecord: Hashable, Sendable {
  /// Its number in `PacketOrigin.comment`.
  public var number: UInt16
  /// The comment's octets as in the file, at most 2,048: UTF-8 by the specification, but hostile.
  public var octets: [UInt8]

  package init(number: UInt16, octets: [UInt8]) {
    self.number = number
    self.octets = octets
  }
}
