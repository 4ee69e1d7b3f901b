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
    #expect(PacketNumbers.decode(truncated, bits: bits, after: largest) == number)
  }

  /// Octets of a handshake that come in pieces, in any order and some of them twice.
  @Test func piecesComeInAnyOrder() {
    var random = SeededRandom(seed: 91)
    for _ in 0..<RandomCases.count(200) {
      // Messages of type 11, which a server sends.
      var whole: [UInt8] = []
      let count = random.number(1..<6)
      for _ in 0..<count { whole += [11, 0, 0] + [UInt8(random.number(0..<90))] }
      var messages: [UInt8] = []
      for start in stride(from: 0, to: whole.count, by: 4) {
        messages += whole[start..<start + 4] + [UInt8](repeating: 9, count: Int(whole[start + 3]))
      }
      var pieces: [Range<Int>] = []
      var start = 0
      while start < messages.count {
        let end = min(start + random.number(1..<60), messages.count)
        pieces.append(max(start - random.number(0..<8), 0)..<end)
        start = end
      }
      pieces.append(contentsOf: pieces.shuffled(using: &random).prefix(3))
      var octets = CryptoOctets()
      var found = 0
      for piece in pieces.shuffled(using: &random) {
        messages.withOctets { octets.take($0.extracting(piece), at: piece.lowerBound, limit: 1000) }
        while let type = octets.nextMessage() {
          #expect(type == 11)
          found += 1
        }
      }
      #expect(found == count)
    }
  }

  /// Nothing is kept beyond the limit, wherever a sender says that it stands.
  @Test func piecesBeyondTheLimitAreLeftOut() {
    var octets = CryptoOctets()
    let before = octets.memory
    let piece = [UInt8](repeating: 1, count: 100)
    for position in [1 << 61, 64] { piece.withOctets { octets.take($0, at: position, limit: 64) } }
    #expect(octets.memory == before)
    piece.withOctets { octets.take($0, at: 60, limit: 64) }
    #expect(octets.memory > before && octets.memory < before + 400)
  }

  /// Frames with the lengths of their data; nil where they are malformed.
  @Test(
    arguments: [
      ([0, 0, 1, 0], 0), ([6, 0, 3, 1, 2, 3, 0, 6, 3, 1, 9], 4), ([2, 5, 0, 1, 2, 3, 4, 6, 0, 1, 7], 1),
      ([3, 5, 0, 0, 2, 1, 1, 1, 1], 0), ([0x1c, 0, 6, 2, 65, 66], 2),
      ([6, 0, 3, 1, 2], nil), ([2, 5, 0, 0x3f, 0], nil), ([0x1c, 0, 6, 9, 65], nil), ([8, 0, 0], nil),
      ([6, 0xff], nil),
    ] as [([UInt8], Int?)])
  func framesOfHandshakesAreRead(_ octets: [UInt8], _ length: Int?) {
    let (found, isMalformed) = lengths(octets, isHandshake: true)
    #expect(isMalformed == (length == nil))
    if let length { #expect(found.reduce(0, +) == length) }
  }

  /// Every type of RFC 9000 §19 and of its extensions, one behind the other: the reader finds the next one.
  @Test(
    arguments: [
      [4, 1, 2, 3], [5, 1, 2], [7, 2, 8, 8], [0x0b, 1, 1, 7], [0x0f, 1, 2, 1, 7], [0x10, 1], [0x11, 1, 2], [0x12, 1],
      [0x13, 1], [0x14, 1], [0x15, 1, 2], [0x16, 1], [0x17, 1], [0x18, 1, 0, 1, 7] + [UInt8](repeating: 3, count: 16),
      [0x19, 1], [0x1a, 1, 2, 3, 4, 5, 6, 7, 8], [0x1b, 1, 2, 3, 4, 5, 6, 7, 8], [0x1d, 1, 1, 7], [0x1e], [0x1f],
      [0x31, 1, 7], [0x40, 0xaf, 1, 2, 3, 4], [0x40, 0xac], [0x24, 1, 2, 3, 4],
    ] as [[UInt8]])
  func everyFrameIsPassed(_ frame: [UInt8]) {
    let (found, isMalformed) = lengths(frame + [8, 4, 1, 2, 3], isHandshake: false)
    #expect(!isMalformed && found.count == 2 && found[1] == 3)
    for end in 1..<frame.count { #expect(lengths(Array(frame[..<end]), isHandshake: false).isMalformed) }
  }

  /// Behind a frame of an unknown type, nothing is read.
  @Test func unknownFramesEndTheReading() {
    let (found, isMalformed) = lengths([1, 0x21, 8, 4, 1, 2], isHandshake: false)
    #expect(isMalformed && found == [0])
  }

  private func lengths(_ octets: [UInt8], isHandshake: Bool) -> (found: [Int], isMalformed: Bool) {
    var reader = QUICFrames(isHandshake: isHandshake)
    var found: [Int] = []
    octets.withOctets { octets in while let frame = reader.next(octets) { found.append(frame.data.count) } }
    return (found, reader.isMalformed)
  }

  /// RFC 9001 §A.5, a packet in short form with ChaCha20-Poly1305.
  @Test func aPacketWithChaCha20IsOpened() throws {
    let secret = octets("9ac312a7f877468ebe69422748ad00a15443f18203a07d6060f688f30f21632b")
    let packet = octets("4cfe4189655e5cd55c41f69080575d7999c25a5bfb")
    let suite = CipherSuite.Protection(cipher: .chaCha20Poly1305, digest: .sha256, mac: nil)
    var room = PacketRoom()
    room.reserve(packet.count)
    let place = PacketPlace(start: 0, numberOffset: 1, end: packet.count, isLong: false)
    let keys = try #require(secret.withOctets { PacketKeys($0, suite, .quic) })
    let head = try #require(packet.withOctets { keys.unprotect(place, in: $0, &room) })
    #expect(Array(room.header[..<4]) == octets("4200bff4"))
    #expect(head.numberLength == 3 && head.truncated == 0xbff4 && !head.phase)
    let number = PacketNumbers.decode(head.truncated, bits: 24, after: 654_360_563)
    #expect(number == 654_360_564)
    let length = packet.withOctets { keys.open(place, head, in: $0, number: number, &room) }
    #expect(length == 1 && room.frames[0] == 1)
    let next = try #require(secret.withOctets { TrafficKeys.update($0, suite, .quic) })
    let expected = octets("1223504755036d556342ee9361d253421a826c9ecdf3c7148684b36b714881f9")
    #expect(next.withOctets { $0.hasSameOctets(as: expected) })
  }

  private func octets(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }

  /// Numbers that came are told among the latest thousand, in any order.
  @Test func repeatedNumbersAreTold() {
    var random = SeededRandom(seed: 92)
    var numbers = PacketNumbers()
    var known: Set<Int> = []
    var largest = -1
    for _ in 0..<20_000 {
      let number = max(largest + random.number(-40..<45), 0)
      let isNew = numbers.note(number)
      #expect(isNew == known.insert(number).inserted)
      largest = max(largest, number)
    }
    #expect(numbers.largest == largest)
    let answers = [5000, 5000, 4999].map { numbers.note(largest + $0) }
    #expect(answers == [true, false, true])
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
