import Capture
import Testing

/// Captures of the same time, read together.
@Suite struct OverlappingCapturesTests {
  /// 40 packets, one a second.
  private static func pcap(from second: UInt32 = 0) -> [UInt8] {
    var pcap = PcapBuilder()
    for number in 0..<40 { pcap.record(pattern(60), seconds: second + UInt32(number)) }
    return pcap.octets
  }

  /// The times of all packets in seconds, in the order in which they come, and the errors.
  private static func read(_ files: [TemporaryFile]) -> (times: [Int64], errors: [CaptureError]) {
    var captures = OverlappingCaptures(paths: files.map(\.path))
    var times: [Int64] = []
    var errors: [CaptureError] = []
    while true {
      do throws(CaptureError) {
        switch try captures.advance() {
        case .packet: captures.withPacket { packet, _ in times.append(packet.timestamp / 1_000_000_000) }
        case .capture: break
        case .end: return (times, errors)
        }
      } catch {
        errors.append(error)
      }
    }
  }

  @Test(arguments: [1, 30]) func packetsComeInTheOrderOfTime(_ count: Int) throws {
    for wrap in [{ $0 }, Compressed.gzip, Compressed.zstd] as [([UInt8]) -> [UInt8]] {
      let files = try (0..<count).map { _ in try TemporaryFile(wrap(Self.pcap())) }
      let (times, errors) = Self.read(files)
      #expect(errors.isEmpty)
      #expect(times == (0..<40).flatMap { Array(repeating: $0, count: count) })
    }
  }

  /// The windows of captures of the same time are bounded together: captures beyond that are refused before a packet of theirs counts.
  @Test(arguments: [(23, 20), (27, 6)]) func windowsShareALimit(_ windowLog: UInt8, _ count: Int) throws {
    let files = try (0..<count).map { _ in try TemporaryFile(Compressed.zstdFrame(Self.pcap(), windowLog: windowLog)) }
    let (times, errors) = Self.read(files)
    let most = (132 << 20) >> Int(windowLog)
    let read = count - errors.count
    #expect(read <= most && read >= most * 3 / 4, "\(read)")
    #expect(times == (0..<40).flatMap { Array(repeating: $0, count: read) })
    for error in errors {
      #expect(error.offset == nil)
      #expect(
        error.description
          == "\(error.file): not supported: zstd windows that take more than 132 MiB together, of captures of the same time; "
          + "decompress some first: zstd -d --long=31 \(error.file)")
    }
  }

  /// A capture that has ended leaves its window to the next one.
  @Test func windowsOfOtherTimesDoNotCount() throws {
    let files = try (0..<12).map { number in
      try TemporaryFile(Compressed.zstdFrame(Self.pcap(from: UInt32(number) * 1000), windowLog: 27))
    }
    let (times, errors) = Self.read(files)
    #expect(errors.isEmpty)
    #expect(times.count == 12 * 40 && times == times.sorted())
  }

  /// Frames of one capture use one window after the other.
  @Test func framesOfACaptureTakeOneWindow() throws {
    let octets = Self.pcap()
    let frames = stride(from: 0, to: octets.count, by: 200).flatMap {
      Compressed.zstdFrame(Array(octets[$0..<min($0 + 200, octets.count)]), windowLog: 26)
    }
    let (times, errors) = Self.read([try TemporaryFile(frames)])
    #expect(errors.isEmpty && times.count == 40)
  }
}
