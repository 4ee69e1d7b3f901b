/// Looks for frames in a stream whose framing was lost. Three matching headers in a row show where it continues.
///
/// All headers that come with them must match, too. Few other octets match once, and hardly any match repeatedly at the
/// distances that they give.
struct FrameSearch {
  /// Headers that have matched so far, and the position of the next one.
  private struct Chain {
    var next: StreamPosition
    var count: Int
    /// The octets of the next header so far.
    var header = InlineArray<9, UInt8>(repeating: 0)
    var collected = 0
  }

  /// The place where frames are found.
  enum Finding {
    case nothing
    /// A header is at this offset of the octets.
    case header(offset: Int)
    /// A header will be at this position.
    case later(StreamPosition)
  }

  private var chains: [Chain] = []
  /// Ends of the headers that follow from those that were looked at in these octets, by offset: each is followed once.
  private var ends: [Int: End?] = [:]

  /// Where headers that follow one another end in the octets.
  private struct End {
    /// The offset of the next header.
    var next: Int
    /// How many headers there are.
    var count: Int
    /// Whether there is another frame than DATA among them.
    var isVaried: Bool
  }

  /// Longest payload of a frame that is looked for.
  private let longest: Int
  /// Whether DATA alone is not enough. Pictures are full of zeros at equal distances.
  private let needsVariety: Bool

  /// The number of chains followed at once. Most wrong chains end at their second header.
  static let chainLimit = 8
  /// Ends whose memory is kept for the next octets.
  private static let keptEnds = 256
  /// The headers in a row that show frames.
  static let enough = 3

  /// The highest number of a stream.
  private let streams: UInt32

  /// A bound on streams while none is known. Peers do not open so many.
  static let anyStream: UInt32 = 1 << 24 - 1

  init(longest: Int, streams: UInt32 = anyStream, needsVariety: Bool = false) {
    self.longest = longest
    self.streams = streams
    self.needsVariety = needsVariety
  }

  /// Takes the next octets, which start at `position`.
  mutating func find(_ octets: RawSpan, at position: StreamPosition) -> Finding {
    if let next = follow(octets, at: position) { return .later(next) }
    defer { ends.removeAll(keepingCapacity: ends.count < Self.keptEnds) }
    var offset = 0
    while offset + HTTP2FrameHeader.length <= octets.byteCount {
      if HTTP2FrameHeader.fits(octets, at: offset, longest: longest, streams: streams), let end = start(octets, offset)
      {
        if end.count >= Self.enough, end.isVaried || !needsVariety { return .header(offset: offset) }
        // Headers that the chain of an earlier one leads to are in that.
        if chains.count < Self.chainLimit, !chains.contains(where: { $0.next == position + end.next }) {
          var chain = Chain(next: position + end.next, count: end.count)
          // The octets end within this header.
          for index in min(end.next, octets.byteCount)..<octets.byteCount {
            chain.header[chain.collected] = octets.octet(index)
            chain.collected += 1
          }
          chains.append(chain)
        }
      }
      offset += 1
    }
    return .nothing
  }

  /// Follows the headers from `offset` on to the end of the octets; nil when one of them does not fit.
  private mutating func start(_ octets: RawSpan, _ offset: Int) -> End? {
    var passed: [(offset: Int, isVaried: Bool)] = []
    var next = offset
    var end: End?
    while true {
      if let known = ends[next] {
        end = known
        break
      }
      guard next + HTTP2FrameHeader.length <= octets.byteCount else {
        end = End(next: next, count: 0, isVaried: false)
        break
      }
      guard HTTP2FrameHeader.fits(octets, at: next, longest: longest, streams: streams) else { break }
      let frame = HTTP2FrameHeader(octets, at: next)
      passed.append((next, frame.type != HTTP2FrameHeader.data))
      next += HTTP2FrameHeader.length + frame.payloadLength
    }
    for header in passed.reversed() {
      end?.count += 1
      if header.isVaried { end?.isVaried = true }
      ends[header.offset] = .some(end)
    }
    return end
  }

  /// Continues the chains. Returns the position of the header after a chain that is long enough.
  private mutating func follow(_ octets: RawSpan, at position: StreamPosition) -> StreamPosition? {
    let end = position + octets.byteCount
    var index = 0
    while index < chains.count {
      var isOver = false
      while chains[index].next + chains[index].collected < end {
        let offset = chains[index].next + chains[index].collected - position
        guard offset >= 0 else {
          isOver = true
          break
        }
        chains[index].header[chains[index].collected] = octets.octet(offset)
        chains[index].collected += 1
        guard chains[index].collected == HTTP2FrameHeader.length else { continue }
        guard let next = passHeader(of: index) else {
          isOver = true
          break
        }
        if chains[index].count >= Self.enough { return next }
      }
      if isOver { chains.remove(at: index) } else { index += 1 }
    }
    return nil
  }

  private mutating func passHeader(of index: Int) -> StreamPosition? {
    let octets = chains[index].header
    var copy: [UInt8] = []
    for offset in 0..<HTTP2FrameHeader.length { copy.append(octets[offset]) }
    guard copy.withOctets({ HTTP2FrameHeader.fits($0, at: 0, longest: longest, streams: streams) }) else { return nil }
    chains[index].next += HTTP2FrameHeader.length + HTTP2FrameHeader(octets).payloadLength
    chains[index].count += 1
    chains[index].collected = 0
    return chains[index].next
  }

  /// Whether these octets contain three matching headers in a row, not only of DATA.
  ///
  /// It is for a connection of any protocol, so the headers may start anywhere.
  static func canFindFrames(in octets: RawSpan, longest: Int) -> Bool {
    var search = FrameSearch(longest: longest, needsVariety: true)
    if case .header = search.find(octets, at: 0) { return true }
    return false
  }
}
