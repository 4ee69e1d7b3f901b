import Capture
import Foundation
import Testing

/// Captures that cannot be sought in.
@Suite(.serialized) struct StreamTests {
  /// Writes octets to a descriptor in small pieces from another thread, and closes it.
  private func feed(_ octets: [UInt8], to handle: FileHandle) {
    Thread.detachNewThread {
      for start in stride(from: 0, to: octets.count, by: 37) {
        try? handle.write(contentsOf: Data(octets[start..<min(start + 37, octets.count)]))
      }
      try? handle.close()
    }
  }

  /// Runs `body` while standard input is a pipe that gives `octets`.
  private func withStandardInput<Result>(_ octets: [UInt8], _ body: () throws -> Result) rethrows -> Result {
    let pipe = Pipe()
    let saved = dup(STDIN_FILENO)
    dup2(pipe.fileHandleForReading.fileDescriptor, STDIN_FILENO)
    defer {
      dup2(saved, STDIN_FILENO)
      close(saved)
    }
    feed(octets, to: pipe.fileHandleForWriting)
    return try body()
  }

  @Test func standardInput() throws {
    let pcap = CompressionTests.pcap
    let expected = try Reading(pcap.octets).packets
    for octets in [pcap.octets, Compressed.gzip(pcap.octets), Compressed.zstd(pcap.octets)] {
      let reading = withStandardInput(octets) { Reading(path: "-") }
      #expect(reading.error == nil)
      #expect(reading.packets == expected)
      #expect(reading.size == nil)
      #expect(reading.octetsRead == octets.count)
    }
    let cut = withStandardInput(Array(pcap.octets[..<90])) { Reading(path: "-") }
    #expect(cut.packets.isEmpty)
    #expect(
      cut.error?.description
        == "standard input: offset 24: cut: what begins here needs 76 bytes, and 66 are there")
    let text = withStandardInput(Array("hello".utf8)) { Reading(path: "-") }
    #expect(text.error?.problem == .notACapture(found: "it begins with 68 65 6c 6c 6f (hello)"))
  }

  @Test func fifo() throws {
    let pcap = CompressionTests.pcap
    let fifo = TemporaryFile()
    try #require(unsafe mkfifo(fifo.path, 0o600) == 0)
    let path = fifo.path
    Thread.detachNewThread {
      guard let handle = FileHandle(forWritingAtPath: path) else { return }
      try? handle.write(contentsOf: Data(pcap.octets))
      try? handle.close()
    }
    let reading = Reading(path: path)
    #expect(reading.error == nil)
    #expect(reading.packets == (try Reading(pcap.octets)).packets)
  }

  /// A packet is handed over when it is there, not when a buffer is full.
  @Test func packetsAreNotHeldBack() throws {
    let fifo = TemporaryFile()
    try #require(unsafe mkfifo(fifo.path, 0o600) == 0)
    let path = fifo.path
    let second = DispatchSemaphore(value: 0)
    var pcap = PcapBuilder()
    pcap.record(pattern(60))
    let octets = pcap.octets
    Thread.detachNewThread {
      guard let handle = FileHandle(forWritingAtPath: path) else { return }
      try? handle.write(contentsOf: Data(octets))
      second.wait()
      try? handle.close()
    }
    var reader = try CaptureReader(path: path)
    #expect(try reader.advance())
    second.signal()
    #expect(!(try reader.advance()))
  }

  /// A stream keeps its place among files, which are sorted.
  @Test func seriesLeavesStandardInputInItsPlace() throws {
    func pcap(_ second: UInt32) -> [UInt8] {
      var pcap = PcapBuilder()
      pcap.record(pattern(60), seconds: second)
      return pcap.octets
    }
    let late = try TemporaryFile(pcap(30))
    let early = try TemporaryFile(pcap(10))
    let (packets, size) = withStandardInput(pcap(20)) {
      var series = CaptureSeries(paths: [late.path, "-", early.path])
      #expect(series.paths == [early.path, "-", late.path])
      return (SeriesReading(&series).packets, series.size)
    }
    #expect(packets.map(\.timestamp) == [10_000_000_000, 20_000_000_000, 30_000_000_000])
    #expect(size == nil)
  }
}
