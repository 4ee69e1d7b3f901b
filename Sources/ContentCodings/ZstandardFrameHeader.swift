/// The header of a Zstandard frame (RFC 8878 §3.1.1.1), as far as it has come: what decoding the frame takes in memory.
struct ZstandardFrameHeader {
  /// The octets so far, the magic number's first: 18 at most.
  private(set) var octets: [UInt8] = []

  init() {}

  /// A header of which only the magic number has come.
  init(magic: UInt32) { octets = (0..<4).map { UInt8(truncatingIfNeeded: magic >> (8 * $0)) } }

  /// Takes the next octet.
  mutating func append(_ octet: UInt8) { octets.append(octet) }

  /// Whether the frame is to be skipped (§3.1.2): it has no header but its length, and no window.
  var isSkippable: Bool { octets.count >= 4 && octets[0] != 0x28 }

  /// Whether all octets have come.
  var isWhole: Bool { octets.count > 4 && octets.count == 5 + windowLength + dictionaryLength + contentLength }

  /// Octets that the frame needs to look back at; 0 if it has to be skipped.
  ///
  /// The header has to be whole.
  var window: UInt64 {
    guard !isSkippable else { return 0 }
    guard windowLength > 0 else { return content ?? 0 }
    // §3.1.1.1.2
    let base = UInt64(1) << (10 + UInt64(octets[5] >> 3))
    return base + base / 8 * UInt64(octets[5] & 7)
  }

  /// Octets that the library allocates to decode the frame, or some more, by its version: a block as it comes in, and the
  /// window with room for what comes out; no more than the content, where its length is said.
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
  /// The library takes any window for one of at least so many octets.
  private static let leastWindow: UInt64 = 1 << 10
  /// The library copies some octets beyond the end.
  private static let margin: UInt64 = 256

  private var descriptor: UInt8 { octets[4] }
  /// A frame of a single segment has no window but its content.
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

  /// Octets that come out of the frame, where the header says it (§3.1.1.1.4).
  private var content: UInt64? {
    guard contentLength > 0 else { return nil }
    let value = octets.suffix(contentLength).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return contentLength == 2 ? value + 256 : value
  }
}
