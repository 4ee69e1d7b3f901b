import ContentCodings
import HTTPReassembly
import TestSupport
import Testing

/// What one packet may cost in decoding: whether it is beyond that does not depend on who decodes, and the next packet has its
/// own again.
@Suite struct ContentAllowanceTests {
  /// So many zeros in one stored block, as gzip (RFC 1951 §3.2.4, RFC 1952).
  private static func stored(_ length: Int) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: length)
    let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]
    let size = [UInt8(length & 0xFF), UInt8(length >> 8)]
    let checksum = (0..<4).map { UInt8(truncatingIfNeeded: crc(zeros) >> (8 * $0)) }
    return header + [1] + size + size.map { ~$0 } + zeros + checksum + size + [0, 0]
  }

  private static func crc(_ octets: [UInt8]) -> UInt32 {
    ~octets.reduce(~UInt32(0)) { crc, octet in
      (0..<8).reduce(crc ^ UInt32(octet)) { crc, _ in crc >> 1 ^ (crc & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
  }

  private static func response(_ content: [UInt8]) -> [UInt8] {
    Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(content.count)\r\n\r\n".utf8) + content
  }

  /// Contents of 1,000 octets may come out of a packet, and nothing more for what it brought.
  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.decodedAtOnceLimit = 1000
    configuration.decodedAtOnceRatio = 0
    return configuration
  }

  private func analysis(_ dialogue: Dialogue, threads: Int, observer: (any MessageObserver)? = nil) -> Analysis {
    Analysis(
      dialogue.packets(), configuration: Self.configuration,
      decoders: SystemContentDecoders(configuration: Self.configuration, threads: threads), observer: observer)
  }

  private func dialogue(_ count: Int) -> Dialogue {
    var dialogue = Dialogue.opened()
    for number in 0..<count { dialogue.send(.client, HTTP.get("/\(number)")) }
    return dialogue
  }

  @Test(arguments: [0, 2])
  func eachPacketHasItsOwn(threads: Int) {
    var dialogue = dialogue(5)
    for _ in 0..<5 { dialogue.send(.server, Self.response(Self.stored(600))) }
    dialogue.close()
    let analysis = analysis(dialogue, threads: threads)
    #expect(analysis.violations == [])
    #expect(analysis.responses.map(\.decodedBody) == Array(repeating: 600, count: 5))
  }

  @Test(arguments: [0, 2])
  func onePacketHasOne(threads: Int) {
    var dialogue = dialogue(4)
    let contents = [600, 300, 200, 90].map(Self.stored)
    dialogue.send(.server, contents.flatMap(Self.response))
    dialogue.close()
    for observer in [nil, CollectingObserver()] {
      let analysis = analysis(dialogue, threads: threads, observer: observer)
      #expect(analysis.violations == [])
      // The third is beyond 1,000, and what came out of it is spent.
      #expect(analysis.responses.map(\.decodedBody) == [600, 300, nil, nil])
      #expect(analysis.responses.map { $0.flags.contains(.codingBeyondLimit) } == [false, false, true, true])
      #expect(analysis.responses.map(\.octets.body) == contents.map(\.count))
      #expect(analysis.anomalies[.contentBeyondLimit] == 2)
    }
  }

  /// What was held behind a hole comes with the packet that fills it.
  @Test(arguments: [0, 2])
  func whatAPacketCompletesIsItsOwn(threads: Int) {
    var dialogue = dialogue(6)
    let responses = (0..<6).map { _ in Self.response(Self.stored(400)) }
    let first = dialogue.segment(.server, [.ack, .push], responses[0])
    dialogue.send(.server, responses[0], isCaptured: false)
    for response in responses.dropFirst() { dialogue.send(.server, response) }
    dialogue.capture(first)
    dialogue.close()
    let analysis = analysis(dialogue, threads: threads)
    #expect(analysis.violations == [])
    #expect(analysis.responses.map(\.decodedBody) == [400, 400, nil, nil, nil, nil])
    #expect(analysis.anomalies[.contentBeyondLimit] == 4)
    // All that is known of the usual limits is that this is far from them.
    let usual = Analysis(dialogue.packets(), decoders: SystemContentDecoders(threads: threads))
    #expect(usual.responses.map(\.decodedBody) == Array(repeating: 400, count: 6))
  }
}
