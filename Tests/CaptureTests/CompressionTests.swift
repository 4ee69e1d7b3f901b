import Capture
import Foundation
import Testing

@Suite struct CompressionTests {
  /// 40 packets, one a second.
  static let pcap: PcapBuilder = {
    var pcap = PcapBuilder()
    for second in 0..<40 { pcap.record(pattern(60), seconds: UInt32(second)) }
    return pcap
  }()

  /// `gzip -9n` and `zstd -19 --check` of that file.
  private static let gzipped = """
    H4sIAAAAAAACA7tyeNNCJgYWBhj4/5+BgZEBAWygmIGdT1RGWcvQwt7NNyQ6KbOgvK61Z/KshSvWb9t75PSlmw+ev/v6h5lLUEJe
    TdfE2skzIDwuNae4qrGjf9pcRiqaxURFs5ipaBYLFc1ipaJZbFQ0i52KZnFQ0SxOKprFRUWzuKloFg8VzeKloll8VDSLn4pmCVDR
    LEEqmiVERbOEqWiWCBXNEqWiWWJUNEucimZJUNEsSSqaJUVFs6SpaJYMFc2SpaJZclQ0S56KZilQ0SxFKpqlREWzlKlolgoVzVKl
    ollqVDRLnYpmAQDIgXTo+AsAAA==
    """
  private static let zstandard = """
    KLUv/WT4Cj0FACQH1MOyoQIABAD//wAAAQA8AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tng5+71/AMKERgfJi00O0JJ
    UFdeZWxzeoGIj5adAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAhIiMkJSYnKqgRsGcW698B8NkMEcwwBIbw///9iIiI
    CCFixIgYESNixIgQERHHiIiIjsYnCYBeH+g/vNua+g==
    """

  private func decoded(_ text: String) throws -> [UInt8] {
    Array(try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters)))
  }

  private func expectWhole(_ octets: [UInt8], _ format: String) throws {
    let reading = try Reading(octets)
    #expect(reading.error == nil)
    #expect(reading.packets == (try Reading(Self.pcap.octets)).packets)
    #expect(reading.packets.count == 40)
    #expect(reading.format == "pcap (microseconds, little-endian), \(format)")
    #expect(reading.octetsRead == octets.count)
    #expect(reading.size == octets.count)
  }

  @Test func readsWhatGzipAndZstdWrite() throws {
    try expectWhole(decoded(Self.gzipped), "gzip")
    try expectWhole(decoded(Self.zstandard), "zstd")
  }

  @Test(arguments: [1, 5, 24, 30, 100, 1000])
  func membersAndFramesFollowOneAnother(length: Int) throws {
    let octets = Self.pcap.octets
    let parts = stride(from: 0, to: octets.count, by: length).map {
      Array(octets[$0..<min($0 + length, octets.count)])
    }
    try expectWhole(parts.flatMap(Compressed.gzip), "gzip")
    try expectWhole(Compressed.gzip([]) + parts.flatMap(Compressed.gzip) + Compressed.gzip([]), "gzip")
    try expectWhole(parts.flatMap(Compressed.zstd), "zstd")
    try expectWhole(
      Compressed.zstdSkippable(pattern(9)) + parts.flatMap { Compressed.zstd($0) + Compressed.zstdSkippable([]) },
      "zstd")
  }

  /// As tapes and block devices pad.
  @Test func zerosBehindTheLastMemberAreIgnored() throws {
    try expectWhole(Compressed.gzip(Self.pcap.octets) + [UInt8](repeating: 0, count: 1000), "gzip")
  }

  @Test func pcapngIsReadCompressed() throws {
    var file = PcapngBuilder(.big)
    file.interface(101)
    file.enhanced(pattern(60), ticks: 5)
    let expected = [ReadPacket(timestamp: 5000, originalLength: 60, linkType: .raw, octets: pattern(60))]
    #expect(try Reading(Compressed.gzip(file.octets)).packets == expected)
    #expect(try Reading(Compressed.zstd(file.octets)).packets == expected)
  }

  // MARK: Damage

  /// A compressed file cut anywhere gives the packets that are whole, and then tells where its content ends.
  @Test(arguments: [true, false])
  func cutsAreTold(isGzip: Bool) throws {
    let octets = Array(Self.pcap.octets[..<Self.pcap.boundaries[5]])
    let wrap = isGzip ? Compressed.gzip : Compressed.zstd
    let first = wrap(Array(octets[..<200]))
    let all = try Reading(Self.pcap.octets).packets
    for whole in [first + wrap(Array(octets[200...])), try decoded(isGzip ? Self.gzipped : Self.zstandard)] {
      // Shorter, it is not known for what it is; and between members it is whole.
      for length in (isGzip ? 2 : 4)..<whole.count where length != first.count || whole[..<length] != first[...] {
        let reading = try Reading(Array(whole[..<length]))
        #expect(reading.error?.problem == .compressionCut, "cut at \(length)")
        #expect(reading.error?.isDecompressedOffset == true)
        let available = try #require(reading.error?.offset)
        let expected = Self.pcap.boundaries.dropFirst().filter { $0 <= available }.count
        #expect(reading.packets == Array(all[..<expected]), "cut at \(length)")
      }
    }
  }

  /// Between members the compressed stream is whole, and the capture in it is what is cut.
  @Test func aCaptureCutInsideAWholeStreamIsTold() throws {
    let octets = Self.pcap.octets
    for compressed in [Compressed.gzip(Array(octets[..<1000])), Compressed.zstd(Array(octets[..<1000]))] {
      let reading = try Reading(compressed)
      // 24 + 12 * 76 = 936
      #expect(reading.packets.count == 12)
      #expect(reading.error?.problem == .cut(needed: 76, available: 64))
      #expect(reading.error?.offset == 936)
      let message = try #require(reading.error?.description)
      #expect(
        message.hasSuffix(
          "offset 936 of the decompressed stream: cut: what begins here needs 76 bytes, and 64 are there"))
    }
  }

  @Test func damageIsTold() throws {
    let octets = Self.pcap.octets
    var gzip = Compressed.gzip(Array(octets[..<1000])) + Compressed.gzip(Array(octets[1000...]))
    // The first member's checksum.
    gzip[11 + 4 + 1000] ^= 1
    var reading = try Reading(gzip)
    #expect(reading.packets.count == 12)
    #expect(reading.error?.problem == .compressionCorrupt("incorrect data check"))
    #expect(reading.error?.offset == 1000)

    reading = try Reading(Compressed.gzip(octets) + pattern(40, seed: 1))
    #expect(reading.packets.count == 40)
    #expect(reading.error?.problem == .compressionCorrupt("incorrect header check"))
    #expect(reading.error?.offset == octets.count)

    reading = try Reading(Compressed.zstd(octets) + pattern(40, seed: 1))
    #expect(reading.packets.count == 40)
    #expect(reading.error?.problem == .compressionCorrupt("Unknown frame descriptor"))
    #expect(reading.error?.offset == octets.count)
  }

  /// A sound frame with a window above the limit is not damaged, and the error has the way out.
  @Test func aWindowBeyondTheLimitIsNotSupported() throws {
    try expectWhole(Compressed.zstdFrame(Self.pcap.octets, windowLog: 27), "zstd")
    for windowLog: UInt8 in [28, 31, 41] {
      let file = try TemporaryFile(Compressed.zstdFrame(Self.pcap.octets, windowLog: windowLog))
      let error = try #require(Reading(path: file.path).error)
      #expect(
        error.description
          == "\(file.path): not supported: a zstd window of more than 128 MiB; decompress it on the way: "
          + "zstd -dc --long=31 \(file.path) | sniffer -")
      #expect(CaptureCheck.fault(of: file.path) == error)
    }
    // A later frame has no larger window either. The packets before it are read.
    let octets = Self.pcap.octets
    let frames = Compressed.zstd(Array(octets[..<1000])) + Compressed.zstdFrame(Array(octets[1000...]), windowLog: 28)
    let reading = try Reading(frames)
    #expect(reading.packets.count == 12)
    #expect(reading.error?.description.contains("not supported: a zstd window") == true)
  }

  @Test func whatIsInsideMustBeACapture() throws {
    #expect(
      try Reading(Compressed.gzip([])).error?.problem == .notACapture(found: "gzip data, and inside it is empty"))
    #expect(
      try Reading(Compressed.zstd(Array("hello, world".utf8))).error?.problem
        == .notACapture(
          found: "zstd data, and inside it begins with 68 65 6c 6c 6f 2c 20 77 6f 72 6c 64 (hello, world)"))
  }
}
