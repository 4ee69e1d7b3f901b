import ContentCodings
import Foundation
import HTTPReassembly
import Testing

/// The source: names, rows of codings, reuse.
@Suite struct SourceTests {
  @Test(arguments: [
    ["compress"], ["x-compress"], ["GZIP"], [""], ["dcb"], ["aws-chunked"], ["gzip", "utf-8"], ["none", "br"],
  ])
  func unknownCodingsHaveNoDecoder(_ codings: [String]) {
    let source = SystemContentDecoders()
    #expect(newDecoder(for: codings, from: source) == nil)
  }

  @Test func tooManyCodingsHaveNoDecoder() {
    var configuration = Configuration()
    configuration.contentCodingLimit = 2
    let source = SystemContentDecoders(configuration: configuration)
    #expect(newDecoder(for: ["gzip", "br"], from: source) != nil)
    #expect(newDecoder(for: ["gzip", "br", "gzip"], from: source) == nil)
    #expect(newDecoder(for: ["identity", "identity", "gzip"], from: source) == nil)
  }

  @Test(arguments: [[], ["identity"], ["identity", "identity"]])
  func noCodingCounts(_ codings: [String]) {
    let source = SystemContentDecoders(configuration: Configuration(decodedContentLimit: 10))
    let content = noise(1000)
    let result = decode(content, codings, cuts: [1, 500], from: source)
    #expect(result?.outcome == .decoded(octets: 1000))
    #expect(result?.octets == content)
  }

  @Test func codingsComeOffInReverse() {
    let content = text(items: 5)
    let coded = zlib(gzip(content))
    #expect(outcome(of: coded, "gzip", "deflate") == .decoded(octets: content.count))
    #expect(outcome(of: coded, "deflate", "gzip") == .failed(.corrupt))
  }

  @Test func faultsInsideAreFound() {
    let content = text(items: 5)
    let inner = gzip(content)
    #expect(outcome(of: zlib(Array(inner.dropLast(9))), "gzip", "deflate") == .failed(.truncated))
    #expect(outcome(of: zlib(content), "gzip", "deflate") == .failed(.corrupt))
    #expect(
      outcome(of: zlib(inner + [0]), "gzip", "deflate") == .decodedWithTrailingJunk(octets: content.count))
    #expect(outcome(of: zlib([]), "gzip", "deflate") == .decoded(octets: 0))
    #expect(outcome(of: Array(zlib([]).dropLast()), "gzip", "deflate") == .failed(.truncated))
  }

  @Test func decoderIsUsedAgain() throws {
    let source = SystemContentDecoders()
    let first = try #require(newDecoder(for: ["gzip"], from: source))
    source.recycle(first, codings: ["gzip"])
    source.recycle(first, codings: ["gzip"])
    let second = try #require(newDecoder(for: ["gzip"], from: source))
    let third = try #require(newDecoder(for: ["gzip"], from: source))
    #expect(second === first)
    #expect(third !== first)
  }

  @Test func unfinishedDecoderIsUsedAgain() throws {
    let source = SystemContentDecoders()
    for fixture in Fixture.all {
      let decoder = try #require(newDecoder(for: fixture.codings, from: source))
      fixture.coded.withOctets { decoder.feed($0.extracting(0..<($0.byteCount / 2))) }
      source.recycle(decoder, codings: fixture.codings)
      let again = try #require(newDecoder(for: fixture.codings, from: source))
      #expect(again === decoder)
      fixture.coded.withOctets { again.feed($0) }
      #expect(again.finish() == .decoded(octets: fixture.decoded.count))
    }
  }

  @Test func messagesAtTheSameTimeDoNotMix() throws {
    let source = SystemContentDecoders()
    let decoders = try Fixture.all.map { try #require(newDecoder(for: $0.codings, from: source)) }
    var decoded = Fixture.all.map { _ in [UInt8]() }
    for offset in 0..<(Fixture.all.map(\.coded.count).max() ?? 0) {
      for (index, fixture) in Fixture.all.enumerated() where offset < fixture.coded.count {
        fixture.coded.withOctets {
          decoders[index].feed($0.extracting(offset..<(offset + 1))) { made in
            made.append(0..<made.byteCount, to: &decoded[index])
          }
        }
      }
    }
    for (index, fixture) in Fixture.all.enumerated() {
      #expect(decoders[index].finish() == .decoded(octets: fixture.decoded.count), "\(fixture.name)")
      #expect(decoded[index] == fixture.decoded, "\(fixture.name)")
    }
  }

  #if os(Linux)
    @Test func memoryStaysFlat() throws {
      let fixtures = Fixture.all.filter { $0.decoded.count < 5000 }
      let source = SystemContentDecoders()
      func messages(_ count: Int) throws {
        for number in 0..<count {
          let fixture = fixtures[number % fixtures.count]
          let decoder = try #require(newDecoder(for: fixture.codings, from: source))
          let fault = number % 7
          fixture.coded.withOctets { octets in
            switch fault {
            case 0: decoder.feed(octets.extracting(0..<(octets.byteCount / 2)))
            case 1: decoder.feed(octets.extracting((octets.byteCount / 3)..<octets.byteCount))
            default: decoder.feed(octets)
            }
          }
          if fault > 1 { #expect(decoder.finish() == .decoded(octets: fixture.decoded.count)) }
          // Some are not given back, and have to free what they hold by themselves.
          if number % 5 != 0 { source.recycle(decoder, codings: fixture.codings) }
        }
      }
      try messages(5000)
      // A leak of one decoder in five would be 160 MB in each round. Other tests run at the same time in this process, and their memory
      // grows in some rounds, but not in all.
      var growth: [Int] = []
      repeat {
        let before = try residentOctets()
        try messages(20_000)
        growth.append(try residentOctets() - before)
      } while growth.count < 20 && growth.last ?? 0 >= 40 << 20
      #expect(growth.contains { $0 < 40 << 20 }, "\(growth)")
    }

    /// The octets of this process that are in memory.
    private func residentOctets() throws -> Int {
      let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
      return try #require(fields.dropFirst().first.flatMap { Int($0) }) * 4096
    }
  #endif
}
