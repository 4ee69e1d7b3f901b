/// The decoding of one packet or reassembled datagram.
///
/// It knows where the next header starts, where its layer ends, and the class of all octets outside these two.
///
/// Each protocol is a `mutating func` in a file of its own. It checks the header at `offset`, and accounts for it with
/// `consume`. It cuts octets behind its layer off with `trim`, and returns the next layer. Offsets count octets of the
/// wire, so `end` may lie beyond `captured`. A header is read only after `isCaptured` returned true.
///
/// The octets outside `offset..<end` always add up to `link + encapsulation + network + tunnel`.
///
/// It cannot be copied. It is large, and the compiler would copy it for every packet.
struct Dissection: ~Copyable {
  /// The innermost header that carries the octets at `offset`.
  enum Carrier {
    /// A link layer: no IP header was found yet.
    case link
    /// The innermost IP header.
    case ip
    /// A UDP header behind the innermost IP header.
    case udp
  }

  /// The number that names the innermost header, where a number names it.
  enum HeaderName {
    case linkType(UInt32)
    case etherType(UInt16)
    case ipProtocol(UInt8)
    case udpPort(UInt16)
  }

  /// The limits that apply.
  struct Limits {
    var tunnelDepth: Int
    var extensionHeaders: Int
    var verifiesChecksums: Bool
  }

  /// Oddities that did not end the decoding.
  struct Notes: OptionSet {
    var rawValue: UInt16
    static let unsupportedLinkType = Notes(rawValue: 1 << 0)
    static let linkPayloadEncrypted = Notes(rawValue: 1 << 1)
    static let linkChecksumBad = Notes(rawValue: 1 << 2)
    static let linkFragmented = Notes(rawValue: 1 << 3)
    static let tunnelTooDeep = Notes(rawValue: 1 << 4)
    static let ipLengthBeyondFrame = Notes(rawValue: 1 << 5)
    static let ipTotalLengthZero = Notes(rawValue: 1 << 6)
    static let ipv4ChecksumBad = Notes(rawValue: 1 << 7)
    static let linkHeaderMissing = Notes(rawValue: 1 << 8)
    static let tunnelLengthOfSegment = Notes(rawValue: 1 << 9)
  }

  /// Where the next header starts.
  var offset: Int
  /// Where the octets of the layer at `offset` end on the wire.
  var end: Int
  /// Octets that were captured, from the start of the packet.
  let captured: Int
  /// Octets of the whole packet on the wire.
  let wireLength: Int
  let limits: Limits

  /// Octets of class `link`.
  var link = 0
  /// Octets of `link` that a capture tool invented.
  var synthetic = 0
  /// The process that owns the packet, as its link layer says.
  var process: TappedProcess?
  /// Octets of class `encapsulation`.
  var encapsulation = 0
  /// Octets of the innermost IP header. They are class `network`, unless a tunnel is found in the packet.
  var network = 0
  /// Octets of headers and padding since the innermost IP header (or the link layer).
  ///
  /// They are class `encapsulation` once an IP header is found behind them. Otherwise they share the class of their payload.
  var tunnel = 0

  var carrier = Carrier.link
  /// Whether a tunnel has been entered, but no IP header was found in it yet.
  var isOpening = false
  /// Tunnels entered.
  var depth = 0
  /// Whether `trim` cuts off the frame's own padding, and not the padding of something inside a tunnel.
  var trimsToLink = true
  var notes: Notes = []
  /// The last header that a number named.
  var name = HeaderName.linkType(0)
  /// Where the outermost IP packet ends, and how many octets of the frame lie behind it. Both are 0 if none do.
  var frameRest = (start: 0, count: 0)
  /// Octets of the packet that this dissection accounts for: all, but for those of `laterFrames`.
  var share: Int
  /// The frames behind the first one of an aggregate.
  var laterFrames: LaterFrames?
  /// Whether an aggregate may leave later frames. A reassembled datagram may not.
  var mayLeaveFrames = true

  // The innermost IP header.
  var source = IPAddress(high: 0, low: 0)
  var destination = IPAddress(high: 0, low: 0)
  var isIPv6 = false
  var hasBadChecksum = false
  /// Whether the IPv6 header has payload length 0, and no jumbo payload option was found yet.
  var lengthIsUnknown = false
  /// The number of extension headers of the innermost IP header, so far.
  var extensionHeaders = 0
  /// Whether padding behind the innermost IP packet is class `link`.
  var paddingIsLink = false
  var fragment = Fragment()
  /// The range of the innermost UDP datagram once `carrier` is `udp`; empty when its header was not captured.
  var udpRange = 0..<0

  @inline(__always)
  init(wireLength: Int, captured: Int, limits: Limits) {
    offset = 0
    end = wireLength
    self.captured = captured
    self.wireLength = wireLength
    share = wireLength
    self.limits = limits
  }

  /// Octets on the wire from `offset` to the end of the layer.
  @inline(__always)
  var room: Int { end - offset }

  /// Whether the next `count` octets belong to the layer and were captured.
  @inline(__always)
  func isCaptured(_ count: Int) -> Bool {
    count <= min(end, captured) - offset
  }

  /// Accounts for `count` octets of a header at `offset`. The caller has checked that `count` is at most `room`.
  @inline(__always)
  mutating func consume(_ count: Int) {
    offset += count
    if carrier == .link && depth == 0 { link += count } else { tunnel += count }
  }

  /// Accounts for `count` octets that a capture tool put before the packet.
  mutating func consumeSynthetic(_ count: Int) {
    if carrier == .link && depth == 0 { synthetic += count }
    consume(count)
  }

  /// Ends the layer at `newEnd`, at most `end`. Octets behind it are padding or a trailer.
  @inline(__always)
  mutating func trim(to newEnd: Int) {
    if trimsToLink { link += end - newEnd } else { tunnel += end - newEnd }
    end = newEnd
  }

  /// Enters a tunnel whose header is at `offset`, unless too many are open.
  mutating func enterTunnel() -> Bool {
    guard depth < limits.tunnelDepth else {
      notes.insert(.tunnelTooDeep)
      return false
    }
    depth += 1
    isOpening = true
    return true
  }

  /// Accounts for an IP header of `headerLength` octets at `offset`, after `trim` ended its packet.
  @inline(__always)
  mutating func enterIP(headerLength: Int) {
    encapsulation += network + tunnel
    tunnel = 0
    network = headerLength
    offset += headerLength
    carrier = .ip
    isOpening = false
    paddingIsLink = trimsToLink
    trimsToLink = false
    lengthIsUnknown = false
    extensionHeaders = 0
  }

  /// Ends the innermost IP packet at `newEnd`, at most `end`. Its header is accounted for already.
  mutating func trimIP(to newEnd: Int) {
    if paddingIsLink { link += end - newEnd } else { encapsulation += end - newEnd }
    end = newEnd
  }

  /// Decodes one header after another, until one ends the decoding.
  mutating func walk(from first: Layer, _ octets: RawSpan) -> Layer {
    var layer = first
    while true {
      switch layer {
      case .linkType(let number): layer = linkType(number, octets)
      case .ethernet: layer = ethernet(octets)
      case .etherType(let type): layer = etherType(type, octets)
      case .llc: layer = llc(octets)
      case .ppp: layer = ppp(octets)
      case .pppoe: layer = pppoe(octets)
      case .mpls: layer = mpls(octets)
      case .ieee80211: layer = ieee80211(octets)
      case .ip: layer = ip(octets)
      case .ipv4: layer = ipv4(octets)
      case .ipv6: layer = ipv6(octets)
      case .ipProtocol(let number): layer = ipProtocol(number, octets)
      case .gre: layer = gre(octets)
      case .vxlan: layer = vxlan(octets)
      case .vxlanGPE: layer = vxlanGPE(octets)
      case .geneve: layer = geneve(octets)
      case .gtpu: layer = gtpu(octets)
      case .teredo: layer = teredo(octets)
      case .nsh: layer = nsh(octets)
      case .tzsp: layer = tzsp(octets)
      case .capwap: layer = capwap(octets)
      case .l2tp: layer = l2tp(octets)
      case .lisp: layer = lisp(octets)
      case .tcp, .fragment, .payload, .malformed: return layer
      }
    }
  }
}
