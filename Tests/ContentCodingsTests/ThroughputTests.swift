// Unsafe: calls zlib alone, to compare with, on arrays handed over with their lengths.

import CZlib
import ContentCodings
import Foundation
import HTTPReassembly
import Testing

/// How much time is spent beside zlib. It prints figures and proves nothing, so it runs only when asked for:
/// `SNIFFER_THROUGHPUT=1 swift test -c release --filter ThroughputTests`.
@Suite(
  .serialized,
  .enabled(if: ProcessInfo.processInfo.environment["SNIFFER_THROUGHPUT"] != nil, "runs only with SNIFFER_THROUGHPUT=1"))
struct ThroughputTests {
  /// Octets fed at once: a segment on Ethernet, and many.
  @Test(arguments: [(items: 1000, piece: 1448), (items: 50, piece: 1448), (items: 40_000, piece: 1 << 20)])
  func gzipBesideZlib(items: Int, piece: Int) throws {
    let content = text(items: items)
    let coded = gzip(content)
    let messages = (200 << 20) / content.count
    let cuts = Array(stride(from: piece, to: coded.count, by: piece)) + [coded.count]

    let source = SystemContentDecoders()
    var decoded = 0
    let clock = ContinuousClock()
    let ours = try clock.measure {
      for _ in 0..<messages {
        let decoder = try #require(newDecoder(for: ["gzip"], from: source))
        coded.withOctets { octets in
          var start = 0
          for cut in cuts {
            decoder.feed(octets.extracting(start..<cut))
            start = cut
          }
        }
        if case .decoded(let octets) = decoder.finish() { decoded += octets }
        source.recycle(decoder, codings: ["gzip"])
      }
    }
    #expect(decoded == messages * content.count)

    let alone = clock.measure {
      inflateAlone(coded, cuts: cuts, messages: messages)
    }
    let octets = Double(decoded) / 1e6
    print(
      "\(content.count) octets in \(coded.count), fed \(piece) at once:",
      "\(Int(octets / (ours / .seconds(1)))) MB/s here, \(Int(octets / (alone / .seconds(1)))) MB/s with zlib alone")
  }

  private func inflateAlone(_ coded: [UInt8], cuts: [Int], messages: Int) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 64 << 10)
    unsafe inflateInit2_(stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer {
      unsafe inflateEnd(stream)
      unsafe stream.deallocate()
      unsafe buffer.deallocate()
    }
    var input = coded
    unsafe input.withUnsafeMutableBufferPointer { input in
      for _ in 0..<messages {
        unsafe inflateReset(stream)
        var start = 0
        for cut in cuts {
          unsafe stream.pointee.next_in = input.baseAddress?.advanced(by: start)
          unsafe stream.pointee.avail_in = uInt(cut - start)
          repeat {
            unsafe stream.pointee.next_out = buffer
            unsafe stream.pointee.avail_out = 64 << 10
            unsafe inflate(stream, Z_NO_FLUSH)
          } while unsafe stream.pointee.avail_out == 0
          start = cut
        }
      }
    }
  }
}
