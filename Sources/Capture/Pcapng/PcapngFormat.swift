/// The numbers of pcapng (draft-ietf-opsawg-pcapng): types of blocks, codes of options, and offsets of fields, in octets from the
/// start of their block.
enum PcapngFormat {
  /// The fields of all blocks: type and length before the body, and the length again after it.
  enum Block {
    static let type = 0
    static let length = 4
    static let body = 8
    static let trailerLength = 4
    static let overhead = body + trailerLength
  }

  /// Types of blocks. A type with the highest bit set is private to its writer (§10.1).
  enum BlockType {
    /// A palindrome, so that it is recognized before the byte order is known.
    static let sectionHeader: UInt32 = 0x0a0d_0d0a
    static let interfaceDescription: UInt32 = 1
    static let obsoletePacket: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let nameResolution: UInt32 = 4
    static let interfaceStatistics: UInt32 = 5
    static let enhancedPacket: UInt32 = 6
    static let decryptionSecrets: UInt32 = 0x0a
    /// Apple's: a process. Packets refer to it by its index in the section.
    static let processEvent: UInt32 = 0x8000_0001
    /// Custom block (§4.8), whose private enterprise number names its owner. One type may be copied, and one may not.
    static let custom: UInt32 = 0x0000_0bad
    static let uncopiedCustom: UInt32 = 0x4000_0bad
  }

  /// Section header block (§4.1).
  enum SectionHeader {
    static let byteOrderMagic = 8
    static let majorVersion = 12
    static let minorVersion = 14
    static let minimumLength = 28
    /// The magic number for a reader with the writer's byte order.
    static let magic: UInt32 = 0x1a2b_3c4d
    /// `shb_userappl`
    static let applicationOption: UInt16 = 4
  }

  /// Interface description block (§4.2).
  enum InterfaceDescription {
    static let linkType = 8
    static let snapshotLength = 12
    static let options = 16
    static let minimumLength = 20
    /// `if_name`
    static let nameOption: UInt16 = 2
    /// `if_description`
    static let descriptionOption: UInt16 = 3
    /// `if_tsresol`
    static let resolutionOption: UInt16 = 9
    /// `if_filter`
    static let filterOption: UInt16 = 11
    /// `if_fcslen`
    static let frameCheckSequenceOption: UInt16 = 13
    /// `if_tsoffset`
    static let offsetOption: UInt16 = 14
  }

  /// Enhanced packet block (§4.3), and the obsolete packet block (appendix A), which differs in its first four octets.
  enum EnhancedPacket {
    static let interface = 8
    /// In the obsolete block, whose interface has 16 bits: packets lost before this one, or all ones.
    static let obsoleteDrops = 10
    static let time = 12
    static let capturedLength = 20
    static let originalLength = 24
    static let octets = 28
    static let minimumLength = 32
    /// `epb_flags`
    static let flagsOption: UInt16 = 2
    /// `epb_dropcount`
    static let dropsOption: UInt16 = 4
    /// Apple's: index of the process event block in the section.
    static let processOption: UInt16 = 0x8001
    /// Apple's: the index of the effective process.
    static let effectiveProcessOption: UInt16 = 0x8003
    /// Apple's packet flags.
    static let applePacketFlagsOption: UInt16 = 0x8004
    /// Apple's: the reason why the kernel dropped the packet; 0 when it did not.
    static let dropReasonOption: UInt16 = 0x8007
    /// Apple's: the function of the kernel that dropped the packet.
    static let dropFunctionOption: UInt16 = 0x8009
  }

  /// Simple packet block (§4.4).
  enum SimplePacket {
    static let originalLength = 8
    static let octets = 12
    static let minimumLength = 16
  }

  /// Name resolution block (§4.5).
  enum NameResolution {
    static let records = 8
    /// `nrb_record_ipv4`
    static let ipv4Record: UInt16 = 1
    /// `nrb_record_ipv6`
    static let ipv6Record: UInt16 = 2
  }

  /// Interface statistics block (§4.6).
  enum InterfaceStatistics {
    static let interface = 8
    static let time = 12
    static let options = 20
    static let minimumLength = 24
    /// `isb_starttime`
    static let startTimeOption: UInt16 = 2
    /// `isb_endtime`
    static let endTimeOption: UInt16 = 3
    /// `isb_ifrecv`
    static let receivedOption: UInt16 = 4
    /// `isb_ifdrop`, lost by the interface
    static let interfaceDropsOption: UInt16 = 5
    /// `isb_osdrop`, lost by the operating system
    static let systemDropsOption: UInt16 = 7
  }

  /// Decryption secrets block (§4.7).
  enum DecryptionSecrets {
    static let kind = 8
    static let secretsLength = 12
    static let secrets = 16
    /// A shorter block has no secrets.
    static let minimumLength = 20
    /// A TLS key log: "TLSK".
    static let tlsKeyLog: UInt32 = 0x544c_534b
  }

  /// Apple's process event block.
  enum ProcessEvent {
    static let identifier = 8
    static let options = 12
    /// A shorter block has no process.
    static let minimumLength = 16
    static let nameOption: UInt16 = 2
    static let pathOption: UInt16 = 3
    static let uuidOption: UInt16 = 4
  }

  /// PCAPdroid's custom block that names the app of a user identifier.
  enum AndroidApp {
    static let enterprise = 8
    /// The enterprise number of PCAPdroid.
    static let enterpriseNumber: UInt32 = 62_652
    static let version = 12
    static let knownVersion: UInt8 = 1
    static let kind = 13
    static let kindOfUserMap: UInt8 = 1
    static let user = 14
    static let packageLength = 18
    static let nameLength = 19
    static let package = 20
    /// A shorter block has no app.
    static let minimumLength = 24
    /// Octets of the longest block: both lengths have one octet.
    static let maximumLength = minimumLength + 2 * 255 + 3
  }

  /// `opt_comment`, which any block may have (§3.5).
  static let commentOption: UInt16 = 1
}

extension Int {
  /// This length with the padding to 32 bits that pcapng adds everywhere.
  var paddedTo4: Int { (self + 3) & ~3 }
}
