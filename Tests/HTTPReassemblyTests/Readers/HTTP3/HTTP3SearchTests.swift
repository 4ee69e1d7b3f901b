import TestSupport
import Testing

@testable import HTTPReassembly

/// Behind a gap that contained the header of a frame, the frames of a message are found again.
@Suite struct HTTP3SearchTests {
  private static func text(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(0x61 + $0 % 26) } }

  private static func frames(_ lengths: [Int], _ content: (Int) -> [UInt8] = text) -> [UInt8] {
    lengths.flatMap { HTTP3Dialogue.frame(0, content($0)) }
  }

  private static func read(
    _ octets: [UInt8], isEnd: Bool = false, unseen: [Range<Int>] = []
  ) -> HTTP3FrameSearch.Reading {
    octets.withOctets { HTTP3FrameSearch.read($0, isEnd: isEnd, unseen: unseen) }
  }

  private static func found(_ octets: [UInt8], isEnd: Bool = false, unseen: [Range<Int>] = []) -> Int? {
    guard case .frames(let place) = read(octets, isEnd: isEnd, unseen: unseen) else { return nil }
    return place
  }

  /// Three headers in a row show frames, and a frame that ends with its stream does.
  @Test func headersThatShowFrames() {
    let rest = Self.text(70)
    #expect(Self.found(rest + Self.frames([100, 200, 300])) == 70)
    #expect(Self.found(rest + Self.frames([100, 200]) + [0, 0x44]) == nil)
    #expect(Self.found(rest + Self.frames([100, 200, 300]).dropLast(250)) == 70)
    #expect(Self.found(rest + Self.frames([100, 200])) == nil)
    #expect(Self.found(rest + Self.frames([100, 200]), isEnd: true) == 70)
    #expect(Self.found(rest + Self.frames([20_000]), isEnd: true) == 70)
    #expect(Self.found(rest + Self.frames([20_000])) == nil)
    // A short frame to the end is one right behind the gap, and by chance elsewhere.
    #expect(Self.found(Self.frames([20]), isEnd: true) == 0 && Self.found(Self.frames([20])) == nil)
    #expect(Self.found(rest + Self.frames([20]), isEnd: true) == nil)
    #expect(Self.found(Self.frames([20]) + [0x61], isEnd: true) == nil)
    // Of long frames, two headers are enough.
    #expect(Self.found(rest + Self.frames([100_000, 100_000]).dropLast(99_000)) == 70)
    #expect(Self.found(rest + Self.frames([16_384, 100]).dropLast(50)) == 70)
    #expect(Self.found(rest + Self.frames([16_383, 100]).dropLast(50)) == nil)
    // Trailer fields end the stream, and so does an empty frame.
    #expect(Self.found(rest + Self.frames([100]) + HTTP3Dialogue.frame(1, [0, 0, 1, 2]), isEnd: true) == 70)
    #expect(Self.found(rest + Self.frames([100]) + [0, 0], isEnd: true) == 70)
  }

  /// Headers may lead to octets that were lost, too, and others may follow behind those. They may not lead past other headers.
  @Test func headersThatLeadToLostOctets() {
    let start = Self.text(70) + Self.frames([100, 200, 300])
    let lost = [UInt8](repeating: 0xff, count: 10)
    let octets = start + lost + Self.text(500)
    #expect(Self.found(octets) == nil)
    #expect(Self.found(octets, unseen: [start.count..<start.count + 10]) == 70)
    #expect(Self.found(octets, unseen: [start.count + 1..<start.count + 10]) == nil)
    let two = Self.text(70) + Self.frames([100, 200])
    #expect(Self.found(two + lost, unseen: [two.count..<two.count + 10]) == nil)
    let others = octets + Self.frames([400, 500, 600])
    #expect(Self.found(others) == octets.count)
    #expect(Self.found(others, unseen: [start.count..<start.count + 10]) == 70)
    // The last header leads past the first one of the others.
    let past = start + [0, 0x50, 0] + Self.text(300) + lost + Self.frames([400, 500, 600])
    #expect(Self.found(past, unseen: [start.count + 303..<start.count + 313]) == nil)
  }

  /// Octets in which frames occur by chance show none, and neither do two ways of reading.
  @Test func headersThatShowNone() {
    let zeros: (Int) -> [UInt8] = { [UInt8](repeating: 0, count: $0) }
    #expect(Self.found(zeros(5000), isEnd: true) == nil)
    #expect(Self.found(zeros(70) + Self.frames([1000, 2000, 3000], zeros), isEnd: true) == 70)
    // Content that is a dialogue of HTTP/3 itself.
    let inner: (Int) -> [UInt8] = { _ in Self.frames([100, 100, 100, 100]) }
    #expect(Self.found(Self.text(30) + Self.frames([0, 0, 0, 0], inner)) == nil)
    #expect(Self.found([], isEnd: true) == nil)
    #expect(Self.found([0], isEnd: true) == nil)
    var random = SeededRandom(seed: 77)
    // One place in 512 has a header by chance, and three in a row are one place in 2^27: so is one in 170 of these runs.
    let found = (0..<4).count { _ in
      Self.found((0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }) != nil
    }
    #expect(found <= 1)
    // Without the type of DATA, no octet in front of the frames leads to them.
    let noise = (0..<20_000).map { _ in UInt8.random(in: 1...255, using: &random) }
    #expect(Self.found(noise) == nil)
    #expect(Self.found(noise + Self.frames([1000, 1000, 1000])) == 20_000)
  }

  /// Octets to the end of a stream are content where no frame can begin in them. Few may be fields, and lost ones may have a header.
  @Test func octetsWithoutHeaders() {
    #expect(Self.read(Self.text(3000), isEnd: true) == .content)
    #expect(Self.read(Self.text(3000)) == .nothing && Self.read(Self.text(2000), isEnd: true) == .nothing)
    #expect(Self.read(Self.text(3000) + [0xff], isEnd: true, unseen: [3000..<3001]) == .nothing)
    // A reserved frame and trailer fields may end a stream.
    #expect(Self.read(Self.text(3000) + [0x21, 1, 7], isEnd: true) == .nothing)
    #expect(Self.read(Self.text(3000) + HTTP3Dialogue.frame(1, [0, 0, 1]), isEnd: true) == .nothing)
    #expect(Self.read(Self.text(3000) + Self.frames([100]), isEnd: true) == .frames(at: 3000))
  }

  /// An exchange whose response has frames of these lengths, and the place of its stream. Only its head and the request are random.
  private static func exchange(_ lengths: [Int], trailers: [UInt8]) -> (HTTP3Dialogue, response: Int, fields: Int) {
    var random = SeededRandom(seed: 5)
    var dialogue: HTTP3Dialogue
    // Without an interim response.
    repeat {
      dialogue = HTTP3Dialogue(capacity: 0)
      dialogue.exchange(0, &random)
    } while dialogue.sent.count > 2
    dialogue.addControl(&random)
    let response = dialogue.streams.firstIndex { $0.side == 1 && $0.number == 0 } ?? 0
    // The fields of the response, without its content.
    let fields = 2 + Int(dialogue.streams[response].octets[1])
    #expect(dialogue.sent.last?.kind == .response && dialogue.streams[response].octets[0] == 1 && fields < 66)
    dialogue.streams[response].octets = Array(dialogue.streams[response].octets[..<fields]) + frames(lengths) + trailers
    return (dialogue, response, fields)
  }

  /// Reads a dialogue with gaps in one stream, in order and `step` octets at a time. The request may be missing whole.
  private static func read(
    _ dialogue: HTTP3Dialogue, _ gaps: Range<Int>..., in place: Int, hasRequest: Bool = true, step: Int = 40
  ) -> [HTTP3Reading.Row] {
    var reading = HTTP3Reading()
    for (other, stream) in dialogue.streams.enumerated() where other != place {
      if hasRequest || stream.side == 1 || stream.number != 0 { reading.give(stream, 0..<stream.octets.count) }
    }
    let stream = dialogue.streams[place]
    var position = 0
    while position < stream.octets.count {
      if let gap = gaps.first(where: { $0.lowerBound == position }) {
        reading.give(stream, gap, .missing)
        position = gap.upperBound
      } else {
        let limit = gaps.map(\.lowerBound).first { $0 > position } ?? stream.octets.count
        let end = min(position + step, limit)
        reading.give(stream, position..<end)
        position = end
      }
    }
    let (rows, faults) = reading.close()
    #expect(faults == [])
    return rows
  }

  /// A response in frames. Each header in turn is lost, with octets around it. Frames behind the next header are counted.
  @Test(arguments: [false, true]) func everyHeaderMayBeLost(_ hasTrailers: Bool) {
    let lengths = [300, 500, 90, 1000, 700, 64]
    let trailers = hasTrailers ? HTTP3Dialogue.frame(1, [0, 0, 0x23] + Array("x-a".utf8) + [1, 0x62]) : []
    let (dialogue, response, fields) = Self.exchange(lengths, trailers: trailers)
    let stream = dialogue.streams[response]
    var start = fields
    for (index, length) in lengths.enumerated() {
      for (before, behind) in [(0, 2), (20, 30), (1, 1)] where index > 0 {
        let header = length < 64 ? 2 : 3
        let gap = start - before..<start + (before == 1 ? behind : header + behind)
        let row = Self.read(dialogue, gap, in: response).first { $0.message.kind == .response }?.message
        #expect(row?.exactness == (index == lengths.count - 1 ? .atLeast : .inferred))
        guard let row, row.exactness == .inferred else { continue }
        #expect(row.octets.total + row.missing == stream.octets.count)
        #expect(row.missing == gap.count && row.flags.contains(.contentNotSeen))
        #expect(row.octets.trailer == max(trailers.count - 2, 0))
        let known = row.octets.startLine + row.octets.header + row.octets.trailer
        #expect(row.octets.body + row.octets.framing == stream.octets.count - known - gap.count)
        // Two octets may be the rest of the header.
        #expect(row.octets.body <= lengths.reduce(0, +) + 2 && row.octets.framing >= 2 + 3 * (lengths.count - 1))
      }
      start += (length < 64 ? 2 : 3) + length
    }
  }

  /// The first octets of a response are lost, up to every place. It is the request's, and has the frames whose headers were captured.
  @Test(arguments: [false, true]) func theStartMayBeLost(_ hasTrailers: Bool) {
    let lengths = [80, 64, 90, 70, 100]
    let trailers = hasTrailers ? HTTP3Dialogue.frame(1, [0, 0, 0x23] + Array("x-a".utf8) + [1, 0x62]) : []
    let (dialogue, response, fields) = Self.exchange(lengths, trailers: trailers)
    var starts = [fields]
    for length in lengths { starts.append(starts[starts.count - 1] + 3 + length) }
    for end in 1..<starts[3] {
      let rows = Self.read(dialogue, 0..<end, in: response)
      let request = rows.first { $0.message.kind == .request }
      let row = rows.first { $0.message.kind == .response }
      let first = starts.firstIndex { $0 >= end } ?? 0
      #expect(row?.message.octets.body == lengths[first...].reduce(0, +), "lost up to \(end)")
      #expect(row?.message.octets.framing == 3 * lengths[first...].count + (hasTrailers ? 2 : 0))
      #expect(row?.message.octets.trailer == max(trailers.count - 2, 0))
      #expect(row?.message.exactness == .atLeast && row?.message.pairing == .exact && row?.message.status == 0)
      #expect(row?.message.flags.isSuperset(of: [.headerNotSeen, .contentNotSeen]) == true)
      #expect(row?.message.decodedBody == nil && row?.message.path != TextID.none)
      #expect(row?.message.path == request?.message.path && row?.message.host == request?.message.host)
    }
  }

  /// The fields of a response were in a lost packet of their own, and its short content is in the next one.
  @Test(arguments: [1, 20, 63]) func aShortContentBehindItsFields(_ length: Int) {
    let (dialogue, response, fields) = Self.exchange([length], trailers: [])
    let row = Self.read(dialogue, 0..<fields, in: response).first { $0.message.kind == .response }?.message
    #expect(row?.octets.body == length && row?.octets.framing == 2 && row?.octets.header == 0)
    #expect(row?.exactness == .atLeast && row?.pairing == .exact && row?.path != TextID.none)
    #expect(Self.read(dialogue, 0..<fields + 1, in: response).allSatisfy { $0.message.kind == .request })
  }

  /// The first packets of a response with one frame are lost. The rest of the stream is its content.
  @Test(arguments: [1, 3, 400, 7000]) func theStartOfOneFrameMayBeLost(_ behind: Int) {
    let (dialogue, response, fields) = Self.exchange([10_000], trailers: [])
    let rows = Self.read(dialogue, 0..<fields + behind, in: response)
    let row = rows.first { $0.message.kind == .response }?.message
    #expect(row?.octets.body == dialogue.streams[response].octets.count - fields - behind)
    #expect(row?.octets.header == 0 && row?.octets.framing == 0 && row?.exactness == .atLeast)
    #expect(row?.pairing == .exact && row?.path == rows.first { $0.message.kind == .request }?.message.path)
  }

  /// The first packets of a response with a very long frame are lost. Its content goes on to the end of the stream, or to other frames.
  @Test(
    arguments: [[700_000], [400_000, 1000, 2000, 3000], [270_000, 300, 300, 300], [262_144 * 2 + 2000], [270_051]],
    [100, 1200, 43_000])
  func theStartOfALongFrameMayBeLost(_ lengths: [Int], _ step: Int) {
    let (dialogue, response, fields) = Self.exchange(lengths, trailers: [])
    let rows = Self.read(dialogue, 0..<fields + 2000, in: response, step: step)
    let row = rows.first { $0.message.kind == .response }?.message
    #expect(row?.octets.framing == 3 * (lengths.count - 1))
    #expect(row?.octets.body == dialogue.streams[response].octets.count - fields - 2000 - 3 * (lengths.count - 1))
    #expect(row?.exactness == .atLeast && row?.pairing == .exact && row?.octets.header == 0)
  }

  /// The header of a response's only frame is lost, with octets around it. Where Content-Length accounts for all others, they are content.
  @Test(arguments: [1, 63, 64, 500, 16_383, 16_384, 70_000]) func theOnlyHeaderMayBeLost(_ length: Int) {
    var (dialogue, response, _) = Self.exchange([length], trailers: [])
    func section(_ length: Int) -> [UInt8] {
      // :status 200 and the name of Content-Length have indices of the static table (RFC 9204 §4.5).
      let text = Array(String(length).utf8)
      return HTTP3Dialogue.frame(1, [0, 0, 0xd9, 0x54, UInt8(text.count)] + text)
    }
    let header = HTTP3Dialogue.frame(0, Self.text(length)).count - length
    for (stated, before, behind) in [
      (length, 0, 0), (length, -1, 0), (length, 0, min(40, length - 1)), (length - 1, 0, 0), (length + 1, 0, 0),
    ] {
      let fields = section(stated)
      dialogue.streams[response].octets = fields + Self.frames([length])
      let gap = fields.count - before..<fields.count + header + behind
      let row = Self.read(dialogue, gap, in: response).first { $0.message.kind == .response }?.message
      #expect(row?.octets.header == fields.count - 3)
      guard stated == length else {
        #expect(row?.exactness == .atLeast && row?.octets.body == 0, "\(stated)")
        continue
      }
      #expect(row?.octets.body == length - behind && row?.missing == gap.count)
      #expect(row?.exactness == .inferred && row?.octets.framing == 2 - before)
      #expect(row?.flags.contains(.contentNotSeen) == true)
    }
  }

  /// The start of a response and a later header are lost. The frames behind both count, also where the request is unknown.
  @Test(arguments: [false, true]) func theStartAndAHeaderMayBeLost(_ hasRequest: Bool) {
    let lengths = [300, 500, 400, 1000, 700, 640, 500, 800]
    let (dialogue, response, fields) = Self.exchange(lengths, trailers: [])
    var starts = [fields]
    for length in lengths { starts.append(starts[starts.count - 1] + 3 + length) }
    // The frames of two headers show no more than chance would.
    for lost in 4..<lengths.count - 1 {
      let gap = starts[lost]..<starts[lost] + 10
      let rows = Self.read(dialogue, 0..<fields + 10, gap, in: response, hasRequest: hasRequest)
      let row = rows.first { $0.message.kind == .response }?.message
      // The rest of the first frame is unknown: it may be fields.
      #expect(row?.octets.body == lengths[1...].reduce(0, +) - 7, "lost \(lost)")
      #expect(row?.octets.framing == 3 * (lengths.count - 2))
      #expect(row?.missing == 10 && row?.exactness == .atLeast && row?.octets.header == 0)
      #expect(row?.pairing == (hasRequest ? .exact : .unknown))
    }
  }

  /// Octets of an interim response are lost, or of what follows. The final response has its own octets, and no others.
  @Test(arguments: RandomCases.seeds(0..<40).map { UInt64($0) })
  func anInterimResponseMayBeLost(_ seed: UInt64) {
    var random = SeededRandom(seed: seed &+ 500)
    var dialogue: HTTP3Dialogue
    repeat {
      dialogue = HTTP3Dialogue(capacity: [0, 512].randomElement(using: &random) ?? 0)
      dialogue.exchange(0, &random)
    } while dialogue.sent.count < 3
    dialogue.addControl(&random)
    let (interim, final) = (dialogue.sent[1], dialogue.sent[2])
    let response = dialogue.streams.firstIndex { $0.side == 1 && $0.number == 0 } ?? 0
    let length = dialogue.streams[response].octets.count
    for start in 2..<min(length, interim.octets.total + 30) {
      for count in [1, 4, 20, 60] where start + count <= length {
        let gap = start..<start + count
        let rows = Self.read(dialogue, gap, in: response).filter { $0.message.kind != .request }
        for row in rows {
          let total = row.message.octets.total + row.message.missing
          let most = final.octets.total + final.control
          // Without a status, it may be either.
          let least = row.message.status == 200 ? 0 : interim.octets.total
          #expect(total <= (row.message.kind == .interim ? least : max(least, most)), "lost \(gap): \(row.text)")
        }
        guard gap.upperBound <= interim.octets.total else { continue }
        #expect(rows.map(\.message.kind) == [.interim, .response], "lost \(gap)")
        guard rows.count == 2 else { continue }
        #expect(rows[0].message.octets.total == interim.octets.total - gap.count)
        #expect(rows[0].message.missing == gap.count)
        #expect(rows[0].message.exactness == .inferred && [0, 103].contains(rows[0].message.status))
        #expect(rows[1].message.octets == final.octets && rows[1].message.exactness == .exact, "lost \(gap)")
        #expect(rows[1].message.status == 200 && rows[1].message.pairing == .exact)
      }
    }
  }

  /// Losses anywhere: a row and its gaps together never have more than its message.
  @Test(arguments: RandomCases.seeds(0..<200).map { UInt64($0) })
  func rowsHaveTheirOctets(_ seed: UInt64) {
    var random = SeededRandom(seed: seed &+ 9000)
    let dialogue = HTTP3Dialogue.random(&random, exchanges: 8)
    var reading = HTTP3Reading()
    for stream in dialogue.streams {
      var position = 0
      while position < stream.octets.count {
        let end = min(position + Int.random(in: 1...60, using: &random), stream.octets.count)
        let isLost = stream.number & 2 == 0 && Int.random(in: 0..<12, using: &random) == 0
        reading.give(stream, position..<end, isLost ? .missing : .whole)
        position = end
      }
    }
    let (rows, faults) = reading.close()
    #expect(faults == [])
    for row in rows where row.message.exactness == .inferred {
      let kind = row.message.kind
      guard let sent = dialogue.sent.first(where: { $0.stream == row.stream && $0.kind == kind }) else { continue }
      let total = row.message.octets.total + row.message.missing + row.message.control
      #expect(total <= sent.octets.total + sent.control, "seed \(seed): \(row.text), \(sent.text)")
    }
  }
}
