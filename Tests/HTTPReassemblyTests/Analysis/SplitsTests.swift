import HTTPReassembly
import TestSupport
import Testing

/// The same stream cut anywhere, captured in any order, with copies, gives the same messages.
@Suite struct SplitsTests {
  /// The result of the script with each turn in one segment.
  private func reference(_ script: SplitsScript) -> SplitsResult {
    SplitsResult(analyze(script.segments(cuts: [:]).segments.map { $0.packet() }))
  }

  /// Analyses segments in the order given, a microsecond apart, and says what differs from `expected`.
  private func fault(_ segments: [Segment], _ expected: SplitsResult) -> String? {
    var packets = segments.map { $0.packet() }
    for index in packets.indices { packets[index].timestamp = 1_700_000_000_000_000_000 + Int64(index) * 1000 }
    // No capture moves a packet by as many as these: a hole waits for all of them.
    var configuration = Configuration()
    configuration.acknowledgedHolePacketLimit = .max
    let analysis = Analysis(packets, configuration: configuration)
    return analysis.violations.first ?? SplitsResult(analysis).difference(from: expected)
  }

  @Test func theUnsplitScriptIsReadAsMeant() {
    let everything = SplitsScript.everything
    let result = reference(everything)
    #expect(
      result.pairs == [
        "GET /keep-alive 200", "GET /p1 200", "HEAD /p2 200", "GET /p3 304", "PUT /up 204", "POST /post 200",
        "GET /last 200",
      ])
    #expect(result.messages.count == 15)
    #expect(result.classes[.stray] == 2)
    #expect(reference(.connect).pairs == ["CONNECT  407", "CONNECT  200", "GET /inside 200"])
    #expect(reference(.upgrade).pairs == ["GET /ignored 200", "GET /socket 101"])
    #expect(reference(.upgrade).classes[.tunnel] == 21)
  }

  @Test(arguments: SplitsScript.all.indices)
  func cutAtEveryPosition(_ index: Int) {
    let script = SplitsScript.all[index].script
    let expected = reference(script)
    for peer in [Peer.client, .server] {
      for cut in 1..<script.length(peer) {
        let fault = fault(script.segments(cuts: [peer: [cut]]).segments, expected)
        #expect(fault == nil, "cut after octet \(cut) of \(peer)")
      }
    }
  }

  @Test(arguments: SplitsScript.all.indices)
  func cutAtEveryPositionAndSwapped(_ index: Int) {
    let script = SplitsScript.all[index].script
    let expected = reference(script)
    for peer in [Peer.client, .server] {
      for cut in 1..<script.length(peer) {
        var (segments, data) = script.segments(cuts: [peer: [cut]])
        let sender = Dialogue().endpoint(peer)
        guard let piece = data.first(where: { isCut($0, cut, sender, segments, data) }) else { continue }
        // The piece before the cut comes last.
        let late = segments.remove(at: piece)
        segments.insert(late, at: data.upperBound - 1)
        let fault = fault(segments, expected)
        #expect(fault == nil, "piece before octet \(cut) of \(peer) captured last")
      }
    }
  }

  /// Whether the segment at `index` ends after `cut` octets of the sender's stream.
  private func isCut(_ index: Int, _ cut: Int, _ sender: Endpoint, _ segments: [Segment], _ data: Range<Int>) -> Bool {
    guard segments[index].source == sender else { return false }
    return data.reduce(0) { $1 <= index && segments[$1].source == sender ? $0 + segments[$1].payload.count : $0 } == cut
  }

  @Test(arguments: SplitsScript.all.indices)
  func oneOctetASegment(_ index: Int) {
    let script = SplitsScript.all[index].script
    let cuts: [Peer: Set<Int>] = [
      .client: Set(1..<script.length(.client)), .server: Set(1..<script.length(.server)),
    ]
    #expect(fault(script.segments(cuts: cuts).segments, reference(script)) == nil)
  }

  @Test(arguments: SplitsScript.all.indices)
  func oneOctetASegmentBackwards(_ index: Int) {
    let script = SplitsScript.all[index].script
    let cuts: [Peer: Set<Int>] = [
      .client: Set(1..<script.length(.client)), .server: Set(1..<script.length(.server)),
    ]
    var (segments, data) = script.segments(cuts: cuts)
    segments.replaceSubrange(data, with: segments[data].reversed())
    #expect(fault(segments, reference(script)) == nil)
  }

  /// Random segments, in any order, with copies of whole segments and of ranges across them.
  @Test(arguments: SplitsScript.all.indices)
  func anyOrderWithDuplicatesAndOverlaps(_ index: Int) {
    let script = SplitsScript.all[index].script
    let expected = reference(script)
    for seed in RandomCases.seeds(0..<(index == 0 ? 600 : 200)) {
      var random = SeededRandom(seed: UInt64(seed) << 8 | UInt64(index))
      let segments = shuffled(script, &random)
      if index == 0 {
        #expect(fault(segments, expected) == nil, "seed \(seed)")
      } else {
        #expect(fault(segments, expected) == nil, "\(SplitsScript.all[index].name), seed \(seed)")
      }
    }
  }

  /// One octet that was acknowledged but not captured yet could be a FIN, so that nothing waits for it.
  @Test func connectWhoseLastOctetComesAfterItsAnswer() {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r")
    dialogue.send(.client, "\n")
    dialogue.send(.server, "HTTP/1.1 200 OK\r\n\r\n")
    dialogue.send(.client, HTTP.get("/inside"))
    dialogue.send(.server, HTTP.ok("inner"))
    let expected = SplitsResult(analyze(dialogue))
    dialogue.segments.swapAt(4, 5)
    #expect(fault(dialogue.segments, expected) == nil)
  }

  @Test func upgradeWhoseLastOctetComesAfterItsAnswer() {
    let fields = "Connection: Upgrade\r\nUpgrade: x\r\n"
    var dialogue = Dialogue.opened()
    dialogue.send(.client, String(HTTP.get("/a", fields: fields).dropLast(1)) + "\r")
    dialogue.send(.client, "\n")
    dialogue.send(.server, "HTTP/1.1 101 Switching\r\n\r")
    dialogue.send(.server, "\n")
    dialogue.send(.client, "\u{1}client")
    dialogue.send(.server, "server")
    let expected = SplitsResult(analyze(dialogue))
    #expect(expected.classes[.tunnel] == 13)
    dialogue.segments.swapAt(4, 5)
    dialogue.segments.swapAt(6, 7)
    #expect(fault(dialogue.segments, expected) == nil)
  }

  private func shuffled(_ script: SplitsScript, _ random: inout SeededRandom) -> [Segment] {
    var cuts: [Peer: Set<Int>] = [:]
    for peer in [Peer.client, .server] {
      let length = script.length(peer)
      let count = random.number(0..<(random.chance(0.2) ? length : 24))
      cuts[peer] = Set((0..<count).map { _ in random.number(1..<length) })
    }
    let (segments, data) = script.segments(cuts: cuts)
    var middle = Array(segments[data])
    for index in middle.indices where random.chance(0.3) {
      middle.append(random.chance(0.5) ? middle[index] : overlap(of: index, in: segments[data], &random))
    }
    switch random.number(0..<3) {
    case 0: middle.shuffle(using: &random)
    case 1:
      // Neighbours only.
      for index in middle.indices.dropLast() where random.chance(0.4) { middle.swapAt(index, index + 1) }
    default: middle.reverse()
    }
    return segments[..<data.lowerBound] + middle + segments[data.upperBound...]
  }

  /// A part of a segment together with a part of what its sender sent next, acknowledging what the first one did.
  private func overlap(of index: Int, in data: ArraySlice<Segment>, _ random: inout SeededRandom) -> Segment {
    let first = data[data.startIndex + index]
    let low = random.number(0..<first.payload.count)
    var copy = first.part(low..<first.payload.count)
    if let next = data.dropFirst(index + 1).first(where: { $0.source == first.source }) {
      copy.payload += next.payload[..<random.number(0..<next.payload.count + 1)]
      copy.acknowledgment = next.acknowledgment
    }
    return copy
  }
}
