/// The format of a capture file.
enum CaptureFormat {
  case pcap(PcapRecords)
  case pcapng
  /// A format that only libpcap knows.
  case foreign(ForeignCapture)
}

extension CaptureFormat {
  /// Octets that identify a format.
  private static let magicLength = 4

  /// Recognizes the format at the start of a file, and reads the file header if there is one.
  ///
  /// Throws when the file is not a capture, or ends within its file header.
  init(
    of file: FileInput, path: String, _ compression: Compression?, follows: Bool, in window: inout OctetWindow
  ) throws(CaptureError) {
    guard try window.fill(Self.magicLength) else {
      throw Self.notACapture(window.copy(0..<window.available), in: compression, file: file.name)
    }
    let magic = window.load(0, as: UInt32.self)
    if let magic = PcapRecords.Magic(magic) {
      self = .pcap(try PcapRecords(magic: magic, in: &window))
    } else if magic == PcapngFormat.BlockType.sectionHeader {
      self = .pcapng
    } else if compression == nil, !follows, file.isReopenable, let foreign = ForeignCapture(path: path) {
      self = .foreign(foreign)
    } else {
      let isEnough = try window.fill(OtherFormat.knownLength)
      let found = window.copy(0..<(isEnough ? OtherFormat.knownLength : window.available))
      throw Self.notACapture(found, in: compression, file: file.name)
    }
  }

  /// The error for a file that begins with `start`, as no capture does.
  static func notACapture(_ start: [UInt8], in compression: Compression?, file: String) -> CaptureError {
    let prefix = compression.map { "\($0.rawValue) data, and inside " } ?? ""
    guard !start.isEmpty else { return CaptureError(file: file, problem: .notACapture(found: prefix + "it is empty")) }
    let found = OtherFormat(start, in: compression, file: file)?.description ?? OtherFormat.shown(start)
    return CaptureError(file: file, problem: .notACapture(found: prefix + found))
  }

  /// The format in words, such as `pcap (nanoseconds, big-endian)`.
  var description: String {
    switch self {
    case .pcap(let records): records.formatDescription
    case .pcapng: "pcapng"
    case .foreign: "read by libpcap"
    }
  }
}

/// The compression of a capture file.
enum Compression: String {
  case gzip
  case zstd

  /// Octets that identify a compression.
  static let magicLength = 4

  /// The compression by a file's first octets; nil if it is not compressed.
  init?(_ start: [UInt8]) {
    switch start.prefix(Self.magicLength) {
    case [0x28, 0xb5, 0x2f, 0xfd]: self = .zstd
    // A skippable frame (RFC 8878 §3.1.2), with which parallel compressors begin.
    case let magic where magic.count == 4 && magic[0] & 0xf0 == 0x50 && magic.dropFirst() == [0x2a, 0x4d, 0x18]:
      self = .zstd
    case let magic where magic.prefix(2) == [0x1f, 0x8b]: self = .gzip
    default: return nil
    }
  }

  /// The content of a file, decompressed; `zstd` is the memory of all captures that are read at once.
  static func source(
    _ file: FileInput, _ compression: Compression?, _ zstd: ZstdMemory
  ) throws(CaptureError) -> any OctetSource {
    switch compression {
    case nil: file
    case .gzip: try GzipInput(file: file)
    case .zstd: try ZstdInput(file: file, memory: zstd)
    }
  }
}
