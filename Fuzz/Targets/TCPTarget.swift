import HTTPReassembly
import TestSupport

extension FuzzTarget {
  /// TCP segments with any flags, at any place around what was sent so far, on two connections: what MEASURES promises
  /// holds, with the limits so small that each is met.
  ///
  /// Input: a few choices, then for each segment who sends what, where, and how much of it.
  package static let tcp = FuzzTarget("tcp", longestInput: 512) { input in
    var input = InputOctets(input)
    var script = SegmentScript(&input)
    var packets: [TestPacket] = []
    while input.hasMore, packets.count < 96 { packets.append(script.packet(&input)) }
    let analysis = Analysis(packets, configuration: .small(&input))
    return analysis.violations.first
  }
}

extension Configuration {
  /// With limits that small inputs reach.
  fileprivate static func small(_ input: inout InputOctets) -> Configuration {
    var configuration = Configuration.cheap
    configuration.heldOctetLimit = 512
    configuration.heldSegmentLimit = 8
    configuration.heldOctetTotalLimit = 700
    configuration.outstandingRequestLimit = 4
    configuration.lingeringMessageLimit = 2
    configuration.pendingChargeLimit = 3
    configuration.lineLimit = 64
    configuration.connectionLimit = 2
    configuration.verifiesChecksums = true
    return configuration
  }

  /// Like the defaults, but quick to set up.
  static var cheap: Configuration {
    var configuration = Configuration()
    configuration.payloadHistoryLength = 1 << 12
    return configuration
  }
}

/// Makes segments of choices. What a side sends at a place is the same each time, unless a conflict is chosen.
private struct SegmentScript {
  private static let texts: [[UInt8]] = [
    "GET /a HTTP/1.1\r\nHost: a.example\r\n\r\nPOST /b HTTP/1.1\r\nHost: b\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwxyz\r\n"
      + "0\r\nSum: 1\r\n\r\n",
    "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n\u{16}\u{3}\u{1}\u{0}\u{2}ab",
    "HTTP/1.1 200 OK\r\n\r\n\u{16}\u{3}\u{3}\u{0}\u{1}x",
    "GET /0\r\n",
    "any octets to the end",
    "\u{16}\u{3}\u{1}\u{0}\u{4}abcd\u{17}\u{3}\u{3}\u{0}\u{2}xy",
    "HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\nno gzip at all",
  ].map { Array($0.utf8) }

  /// Where each side of each connection starts, and how far it has sent.
  private var starts: [UInt32]
  private var sent: [Int] = [0, 0, 0, 0]
  private let text: Int
  private var time: Int64 = 1_700_000_000_000_000_000

  init(_ input: inout InputOctets) {
    let choices = input.next()
    text = Int(choices & 3) * 2
    // Near the wrap at 2³², or not.
    starts = (0..<4).map { choices & (16 << UInt8($0)) == 0 ? 1000 : UInt32.max - 40 }
  }

  mutating func packet(_ input: inout InputOctets) -> TestPacket {
    let who = input.next()
    let side = Int(who & 1)
    let stream = side + (who & 0x40 == 0 ? 0 : 2)
    let shape = input.next()
    let length = shape & 0x40 == 0 ? Int(shape & 0x3f) : 0
    // Mostly on from what was sent; else around it, or far away.
    var place = sent[stream]
    switch who >> 1 & 3 {
    case 0, 1: break
    case 2: place += Int(Int8(bitPattern: input.next()))
    default: place += Int(Int16(truncatingIfNeeded: input.next16())) << Int(input.next() & 15)
    }
    var flags: TCPFlags = .ack
    switch who >> 3 & 7 {
    case 1: flags = .syn
    case 2: flags = [.syn, .ack]
    case 3: flags = [.fin, .ack]
    case 4: flags = TCPFlags(rawValue: input.next())
    default: break
    }
    let isSyn = flags.contains(.syn)
    var segment = Segment(
      from: endpoint(stream, side), to: endpoint(stream, 1 - side),
      sequence: starts[stream] &+ UInt32(truncatingIfNeeded: place) &- (isSyn ? 1 : 0),
      acknowledgment: starts[stream ^ 1] &+ UInt32(truncatingIfNeeded: acknowledged(stream ^ 1, &input, who)),
      flags: flags, payload: payload(at: place, length, side, isConflicting: shape & 0x80 != 0), time: time)
    if who & 0x80 != 0 {
      let more = input.next()
      time += Int64(more & 0x3f) * Int64(more & 0x3f) * 20_000_000
      segment.uncaptured = more & 0x40 == 0 ? 0 : Int(input.next()) % 24
      segment.hasWrongChecksum = more & 0x80 != 0
    }
    time += 1_000_000
    sent[stream] = max(sent[stream], place + length + (flags.contains(.fin) ? 1 : 0))
    return segment.packet()
  }

  private func endpoint(_ stream: Int, _ side: Int) -> Endpoint {
    Endpoint(
      address: IPAddress(v4: side == 0 ? 0xc000_0201 : 0xc633_6401), port: side == 0 ? 40_000 + UInt16(stream >> 1) : 80
    )
  }

  private func acknowledged(_ stream: Int, _ input: inout InputOctets, _ who: UInt8) -> Int {
    who & 0x80 == 0 ? sent[stream] : sent[stream] + Int(Int8(bitPattern: input.next()))
  }

  private func payload(at place: Int, _ length: Int, _ side: Int, isConflicting: Bool) -> [UInt8] {
    let text = Self.texts[text + side]
    return (0..<length).map { offset in
      let index = (place + offset) % text.count
      return text[index < 0 ? index + text.count : index] ^ (isConflicting ? 1 : 0)
    }
  }
}
