/// How a capture file is written.
enum CaptureFormat {
  case pcap(PcapRecords)
  case pcapng
  /// In a way that only libpcap knows.
  case foreign(ForeignCapture)
}

/// How a capture file is compressed.
enum Compression: String {
  case gzip
  case zstd

  /// What a file begins with; nil if it is not compressed.
  init?(_ start: [UInt8]) {
    switch start.prefix(4) {
    case [0x28, 0xb5, 0x2f, 0xfd]: self = .zstd
    // A skippable frame (RFC 8878 §3.1.2), with which parallel compressors begin.
    case let magic where magic.count == 4 && magic[0] & 0xf0 == 0x50 && magic.dropFirst() == [0x2a, 0x4d, 0x18]:
      self = .zstd
    case let magic where magic.prefix(2) == [0x1f, 0x8b]: self = .gzip
    default: return nil
    }
  }
}
