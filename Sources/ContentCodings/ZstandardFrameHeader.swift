/// The header of a Zstandard frame (RFC 8878 §3.1.1.1), as far as it has come. It shows how much memory the frame needs.
struct ZstandardFrameHeader {
  /// The octets so far with the magic number, at most 18.
  private(set) var octets: [UInt8] = []

  init() {}

  /// Creates a header that has only its magic number.
  init(magic: UInt32) { octets = (0..<4).map { UInt8(truncatingIfNeeded: magic >> (8 * $0)) } }

  /// Takes the next octet.
  mutating func append(_ octet: UInt8) { octets.append(octet) }

  /// Whether the frame is to be skipped (§3.1.2). Its header is only its length, and it has no window.
  var isSkippable: Bool { octets.count >= 4 && octets[0] != 0x28 }

  /// Whether all octets of the header have come.
  var isWhole: Bool { octets.count > 4 && octets.count == 5 + windowLength + dictionaryLength + contentLength }

  /// The window in octets; 0 for a frame that is skipped.
  ///
  /// The header has to be whole.
  var window: UInt64 {
    guard !isSkippable else { return 0 }
    guard windowLength > 0 else { return content ?? 0 }
    // §3.1.1.1.2
    let base = UInt64(1) << (10 + UInt64(octets[5] >> 3))
    return base + base / 8 * UInt64(octets[5] & 7)
  }

  /// Octets that the library allocates for the frame, or some more, depending on its version. They hold one coded block, and the window
  /// with room for output, but no more than the content if its length is given.
  ///
  /// The header has to be whole, with a window of at most 2⁶² octets.
  var buffers: Int {
    guard !isSkippable else { return 0 }
    let block = min(max(window, Self.leastWindow), Self.largestBlock)
    let room = max(window, Self.leastWindow) + block + Self.largestBlock
    return Int(block + min(room, content ?? .max) + Self.margin)
  }

  /// §3.1.1.2.3.
  private static let largestBlock: UInt64 = 128 << 10
  /// The library treats smaller windows as this size.
  private static let leastWindow: UInt64 = 1 << 10
  /// The library copies some octets beyond the end.
  private static let margin: UInt64 = 256

  private var descriptor: UInt8 { octets[4] }
  /// Whether the frame is a single segment. Its window is its content.
  private var isSingleSegment: Bool { descriptor & 0x20 != 0 }

  private var windowLength: Int { isSingleSegment ? 0 : 1 }

  private var dictionaryLength: Int {
    switch descriptor & 3 {
    case 0: 0
    case 1: 1
    case 2: 2
    default: 4
    }
  }

  private var contentLength: Int {
    switch descriptor >> 6 {
    case 0: isSingleSegment ? 1 : 0
    case 1: 2
    case 2: 4
    default: 8
    }
  }

  /// The length of the frame's content in octets, if the header has it (§3.1.1.1.4).
  private var content: UInt64? {
    guard contentLength > 0 else { return nil }
    let value = octets.suffix(contentLength).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return contentLength == 2 ? value + 256 : value
  }
}
