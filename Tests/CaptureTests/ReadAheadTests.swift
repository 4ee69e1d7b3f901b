import Foundation
import HTTPReassembly
import Testing

@testable import Capture

/// A thread that reads ahead changes nothing of what is read.
@Suite struct ReadAheadTests {
  /// More than `CaptureReader` thinks worth a thread, with packets of all lengths: of the longest, what is left of one does
  /// not fit before the next block.
  private static let octets: [UInt8] = {
    var pcap = PcapBuilder()
    for index in 0..<200 {
      pcap.record(pattern(index % 10 == 9 ? 250_000 : 37 * index, seed: index), seconds: UInt32(index))
    }
    return pcap.octets
  }()

  private func read(_ path: String, ahead: Bool) -> SeriesReading {
    var series = CaptureSeries(paths: [path], readsAhead: ahead)
    return SeriesReading(&series)
  }

  @Test func packetsAreTheSame() throws {
    let file = try TemporaryFile(Self.octets)
    let ahead = read(file.path, ahead: true)
    let plain = read(file.path, ahead: false)
    #expect(ahead.packets.count == 200 && ahead.packets == plain.packets && ahead.events == plain.events)
  }

  @Test func cutsAreTheSame() throws {
    for cut in [1, 100_000, 249_999, 250_016] {
      let file = try TemporaryFile(Array(Self.octets.dropLast(cut)))
      let ahead = read(file.path, ahead: true)
      let plain = read(file.path, ahead: false)
      #expect(ahead.packets == plain.packets && ahead.events == plain.events)
      #expect(ahead.errors.map(\.description) == plain.errors.map(\.description))
    }
  }

  /// Whoever has enough need not read on.
  @Test func nobodyHasToReadToTheEnd() throws {
    let file = try TemporaryFile(Self.octets)
    for packets in [0, 1, 50] {
      var series = CaptureSeries(paths: [file.path], readsAhead: true)
      for _ in 0...packets { _ = try series.advance() }
    }
  }

  /// A pipe is not read ahead: who finds it damaged would wait for its writer.
  @Test(.timeLimit(.minutes(10)))
  func theWriterOfADamagedPipeIsNotWaitedFor() throws {
    let fifo = TemporaryFile()
    try #require(unsafe mkfifo(fifo.path, 0o600) == 0)
    var pcap = PcapBuilder()
    pcap.record(pattern(60))
    pcap.record(pattern(60), captured: 0x7fff_ffff)
    let (path, octets) = (fifo.path, pcap.octets)
    let isRead = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      guard let handle = FileHandle(forWritingAtPath: path) else { return }
      try? handle.write(contentsOf: Data(octets))
      isRead.wait()
      try? handle.close()
    }
    var series = CaptureSeries(paths: [path], readsAhead: true)
    let reading = SeriesReading(&series)
    isRead.signal()
    #expect(reading.packets.count == 1 && reading.errors.count == 1)
  }

  /// What a packet's source says is where its octets are.
  @Test(arguments: [false, true])
  func octetsCanBeReadAgain(_ ahead: Bool) throws {
    let files = try [TemporaryFile(Self.octets), TemporaryFile(Self.octets)]
    var series = CaptureSeries(paths: files.map(\.path), readsAhead: ahead)
    var buffer: [UInt8] = []
    var count = 0
    while true {
      let step = try series.advance()
      if step == .end { break }
      guard step == .packet else { continue }
      series.withPacket { packet, octets in
        guard let source = packet.captureOffset, octets.byteCount > 0 else { return }
        let isRead = series.capturedOctets.read(octets.byteCount, from: source, into: &buffer)
        #expect(isRead && octets.hasSameOctets(as: Array(buffer.prefix(octets.byteCount))))
        count += 1
      }
    }
    #expect(count == 398)
    #expect(!series.capturedOctets.read(1, from: CaptureOffset(capture: 9, offset: 0), into: &buffer))
    #expect(!series.capturedOctets.read(1, from: CaptureOffset(capture: 1, offset: Self.octets.count), into: &buffer))
  }

  @Test func compressedOctetsHaveNoPlace() throws {
    var pcap = PcapBuilder()
    pcap.record(pattern(60))
    let file = try TemporaryFile(Compressed.gzip(pcap.octets))
    var series = CaptureSeries(paths: [file.path])
    #expect(try series.advance() == .capture(continues: false))
    #expect(try series.advance() == .packet)
    series.withPacket { packet, _ in #expect(packet.captureOffset == nil) }
  }
}
