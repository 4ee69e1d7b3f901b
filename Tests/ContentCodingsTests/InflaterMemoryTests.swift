import ContentCodings
import HTTPReassembly
import Testing

/// Each connection can have a message that is never whole, so what `gzip` and `deflate` hold for all of them has a limit.
@Suite struct InflaterMemoryTests {
  @Test(arguments: ["gzip", "deflate"])
  func decodersOfAllMessagesAreLimited(_ coding: String) throws {
    // Room for two.
    let source = SystemContentDecoders(inflaterMemoryLimit: 100 << 10)
    let text = Array("some text, and some text".utf8)
    let coded = coding == "gzip" ? gzip(text) : zlib(text)
    var open: [ContentDecoder] = []
    for _ in 0..<3 {
      let decoder = try #require(newDecoder(for: [coding], from: source))
      // Who wants to see what comes out gets it as it comes.
      coded.dropLast().withOctets { decoder.feed($0) { _ in } }
      open.append(decoder)
    }
    #expect(open[2].finish() == .failed(.beyondLimit))
    for decoder in open.prefix(2) {
      coded.suffix(1).withOctets { decoder.feed($0) { _ in } }
      #expect(decoder.finish() == .decoded(octets: text.count))
    }
    // What is not kept for the next message gives its memory back.
    open = []
    for _ in 0..<5 {
      let decoder = try #require(newDecoder(for: [coding], from: source))
      coded.withOctets { decoder.feed($0) { _ in } }
      #expect(decoder.finish() == .decoded(octets: text.count))
    }
  }

  @Test func whatIsKeptToBeWholeIsLimitedToo() throws {
    // Room for two contents of 20 KiB, which take 32 each, and for no zlib beside them.
    let source = SystemContentDecoders(inflaterMemoryLimit: 64 << 10)
    let content = noise(20 << 10)
    let coded = gzip(content)
    var open: [ContentDecoder] = []
    for _ in 0..<3 {
      let decoder = try #require(newDecoder(for: ["gzip"], from: source))
      coded.withOctets { decoder.feed($0) }
      open.append(decoder)
    }
    #expect(open[2].finish() == .failed(.beyondLimit))
    for decoder in open.prefix(2) {
      #expect(finishLater(decoder, in: source) == .decoded(octets: content.count))
    }
    // Their memory is free again.
    for _ in 0..<5 {
      let decoder = try #require(newDecoder(for: ["gzip"], from: source))
      coded.withOctets { decoder.feed($0) }
      #expect(finishLater(decoder, in: source) == .decoded(octets: content.count))
    }
  }
}
