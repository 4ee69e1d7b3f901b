import HTTPReassembly
import Packets
import Testing

@testable import ContentCodings

/// The compressed messages of a WebSocket (RFC 7692).
@Suite struct MessagesStageTests {
  private static let messageEnd: [UInt8] = [0, 0, 0xff, 0xff]

  private func outcome(_ pieces: [[UInt8]]) throws -> ContentOutcome {
    let source = SystemContentDecoders()
    let decoder = try #require(source.messageDecoder())
    var allowance = DecodingAllowance.endless
    for piece in pieces { piece.withOctets { decoder.feed($0, within: &allowance) } }
    return decoder.finish(within: &allowance)
  }

  /// RFC 7692 §7.2.3.1 and §7.2.3.2: "Hello", and "Hello" again with the window of the first.
  @Test func messagesMayReferToEarlierOnes() throws {
    let first: [UInt8] = [0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]
    let second: [UInt8] = [0xf2, 0x00, 0x11, 0x00, 0x00]
    #expect(try outcome([first, Self.messageEnd]) == .decoded(octets: 5))
    #expect(try outcome([first, Self.messageEnd, second, Self.messageEnd]) == .decoded(octets: 10))
  }

  /// RFC 7692 §7.2.3.4: a message ends its stream, and is followed by an empty block. The next one may refer to it.
  @Test func aMessageMayEndItsStream() throws {
    let final: [UInt8] = [0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00, 0x00]
    let later: [UInt8] = [0xf2, 0x00, 0x11, 0x00, 0x00]
    #expect(try outcome([final, Self.messageEnd]) == .decoded(octets: 5))
    #expect(try outcome([final, Self.messageEnd, later, Self.messageEnd]) == .decoded(octets: 10))
  }

  @Test func streamsInARowInAnyPieces() throws {
    let contents = [text(items: 40), noise(3000), text(items: 3)]
    let coded: [UInt8] = contents.flatMap { content -> [UInt8] in rawDeflate(content) + [0] + Self.messageEnd }
    for size in [1, 2, 3, 7, 100, coded.count] {
      let pieces = stride(from: 0, to: coded.count, by: size).map { Array(coded[$0..<min($0 + size, coded.count)]) }
      #expect(try outcome(pieces) == .decoded(octets: contents.reduce(0) { $0 + $1.count }), "\(size)")
    }
  }

  @Test func octetsOfNoStreamAreCorrupt() throws {
    #expect(try outcome([[0xff, 0xff, 1, 2, 3]]) == .failed(.corrupt))
  }

  /// HTTP cannot ask for it: no content coding has this name.
  @Test func itIsNoContentCoding() {
    #expect(SystemContentDecoders().decoder(for: ["permessage-deflate"]) == nil)
  }
}
