import TestSupport
import Testing

@testable import HTTPReassembly

/// The pieces of QUIC, each with the examples of its RFC.
@Suite struct QUICPieceTests {
  /// RFC 9000 §A.1.
  @Test(
    arguments: [
      ([0xc2, 0x19, 0x7c, 0x5e, 0xff, 0x14, 0xe8, 0x8c], 151_288_809_941_952_652),
      ([0x9d, 0x7f, 0x3e, 0x7d], 494_878_333),
      ([0x7b, 0xbd], 15_293), ([0x25], 37), ([0x40, 0x25], 37),
    ] as [([UInt8], Int)])
  func integersHaveFourLengths(_ octets: [UInt8], _ value: Int) {
    var offset = 0
    #expect(octets.withOctets { $0.variableLengthInteger(&offset) } == value)
    #expect(offset == octets.count)
    for end in octets.indices {
      var offset = 0
      #expect(Array(octets[..<end]).withOctets { $0.variableLengthInteger(&offset) } == nil)
    }
  }

  /// RFC 9000 §A.3 and both sides of its window.
  @Test(arguments: [
    (0x9b32, 16, 0xa82f_30ea, 0xa82f_9b32), (0, 8, -1, 0), (0xff, 8, 0x100, 0xff), (0x00, 8, 0xff, 0x100),
    (0x7f, 8, 0x1ff, 0x27f), (0x81, 8, 0x1ff, 0x181),
  ])
  func numbersAreTheNearest(_ truncated: Int, _ bits: Int, _ largest: Int, _ number: Int) {
    #expect(InitialKeys.number(truncated, bits: bits, after: largest) == number)
  }

  /// Octets of a handshake that come in pieces, in any order and some of them twice.
  @Test func piecesComeInAnyOrder() {
    var random = SeededRandom(seed: 91)
    for _ in 0..<RandomCases.count(200) {
      let whole = (0..<random.number(1..<400)).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      var pieces: [Range<Int>] = []
      var start = 0
      while start < whole.count {
        let end = min(start + random.number(1..<60), whole.count)
        pieces.append(max(start - random.number(0..<8), 0)..<end)
        start = end
      }
      pieces.append(contentsOf: pieces.shuffled(using: &random).prefix(3))
      var octets = HandshakeOctets()
      var known = Set<Int>()
      for piece in pieces.shuffled(using: &random) {
        _ = whole.withOctets { octets.take($0, piece, at: piece.lowerBound, limit: 1000) }
        known.formUnion(piece)
        let expected = (0..<whole.count).first { !known.contains($0) } ?? whole.count
        #expect(octets.count == expected)
      }
      #expect(octets.octets == whole)
    }
  }

  /// Nothing is kept beyond the limit, wherever a sender says that it stands.
  @Test func piecesBeyondTheLimitAreLeftOut() {
    var octets = HandshakeOctets()
    let piece = [UInt8](repeating: 1, count: 100)
    for position in [1 << 61, 64, 60, 0] {
      _ = piece.withOctets { octets.take($0, 0..<100, at: position, limit: 64) }
      #expect(octets.octets.count <= 64)
    }
    #expect(octets.count == 64)
  }

  /// Frames with the lengths of handshake octets in them; nil where they are malformed.
  @Test(
    arguments: [
      ([0, 0, 1, 0], 0), ([6, 0, 3, 1, 2, 3, 0, 6, 3, 1, 9], 4), ([2, 5, 0, 1, 2, 3, 4, 6, 0, 1, 7], 1),
      ([3, 5, 0, 0, 2, 1, 1, 1, 1], 0), ([0x1c, 0, 6, 2, 65, 66], 0),
      ([6, 0, 3, 1, 2], nil), ([2, 5, 0, 0x3f, 0], nil), ([0x1c, 0, 6, 9, 65], nil), ([8, 0, 0], nil),
      ([6, 0xff], nil),
    ] as [([UInt8], Int?)])
  func framesAreRead(_ octets: [UInt8], _ length: Int?) {
    let frames = octets.withOctets { InitialFrames($0) }
    #expect(frames.isMalformed == (length == nil))
    if let length { #expect(frames.handshakeLength == length) }
  }

  /// Headers that do not fit their datagram, and other protocols, are no headers of QUIC.
  @Test func headersFitTheirDatagrams() throws {
    // Version 1, an ID of 8 octets and none, no token, 30 octets.
    let packet: [UInt8] = [0xc0, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 30] + [UInt8](repeating: 9, count: 30)
    let header = try #require(packet.withOctets { QUICPacketHeader($0, at: 0, length: 47) })
    #expect(header.kind == .initial && header.numberOffset == 17 && header.end == 47)
    #expect(header.destinationID.count == 8 && header.sourceID.count == 0)
    // What is not captured is believed as long as it fits the datagram's length.
    #expect(Array(packet[..<20]).withOctets { QUICPacketHeader($0, at: 0, length: 47) } != nil)
    for end in 0..<17 {
      #expect(Array(packet[..<end]).withOctets { QUICPacketHeader($0, at: 0, length: 47) } == nil)
    }
    #expect(packet.withOctets { QUICPacketHeader($0, at: 0, length: 46) } == nil)
    for (offset, octet) in [(0, 0x40), (0, 0x80), (4, 2), (1, 1), (5, 21)] as [(Int, UInt8)] {
      var other = packet
      other[offset] = octet
      #expect(other.withOctets { QUICPacketHeader($0, at: 0, length: 47) } == nil, "octet \(offset) is \(octet)")
    }
  }
}
