import Capture
import Testing

@Suite struct SeriesTests {
  /// A file with packets at these times, in tenths of a second.
  private func file(_ tenths: [UInt32], cut: Int = 0) throws -> TemporaryFile {
    var pcap = PcapBuilder()
    for time in tenths { pcap.record(pattern(60), seconds: time / 10, fraction: time % 10 * 100_000) }
    return try TemporaryFile(Array(pcap.octets.dropLast(cut)))
  }

  @Test func filesAreReadInTheOrderOfTheirFirstPackets() throws {
    let files = [try file([500, 510]), try file([100, 120]), try file([]), try file([300])]
    var series = CaptureSeries(paths: files.map(\.path))
    #expect(series.paths == [files[1].path, files[3].path, files[0].path, files[2].path])
    #expect(series.size == 5 * 76 + 4 * 24)
    #expect(series.name == nil)
    let reading = SeriesReading(&series)
    #expect(reading.errors.isEmpty)
    #expect(
      reading.events == [
        "capture", "10", "12", "continuation", "30", "continuation", "50", "51", "continuation",
      ])
    #expect(series.octetsRead == series.size)
    #expect(series.dropped == nil)
  }

  /// One second of overlap, exactly, is still a continuation.
  @Test func aCaptureThatStartsTooEarlyIsSeparate() throws {
    let files = [try file([100, 200]), try file([190, 300]), try file([289, 310])]
    var series = CaptureSeries(paths: files.map(\.path))
    #expect(
      SeriesReading(&series).events == [
        "capture", "10", "20", "continuation", "19", "30", "capture", "28", "31",
      ])
  }

  @Test func filesOfTheSameTimeKeepTheirOrder() throws {
    let files = [try file([100]), try file([100]), try file([100])]
    #expect(CaptureSeries(paths: files.map(\.path)).paths == files.map(\.path))
  }

  @Test func faultsEndTheirFileOnly() throws {
    let files = [
      try file([100, 110], cut: 1), try file([200], cut: 1), try TemporaryFile(Array("text".utf8)), try file([300]),
    ]
    var series = CaptureSeries(paths: ["/nowhere/x.pcap"] + files.map(\.path))
    let reading = SeriesReading(&series)
    #expect(
      reading.events == [
        "capture", "10", "error", "continuation", "30", "error", "error", "error",
      ])
    #expect(reading.errors.map(\.file) == [files[0].path, "/nowhere/x.pcap", files[1].path, files[2].path])
    #expect(reading.errors[0].offset == 24 + 76)
    #expect(series.size == 24 + 2 * 76 - 1 + 24 + 75 + 4 + 24 + 76)
    // The end stays the end.
    #expect(try series.advance() == .end)
    series.withPacket { #expect($1.byteCount == 0) }
  }

  @Test func namesAndDropCountsOutliveTheirFile() throws {
    func pcapng(_ name: String, _ dropped: UInt64) throws -> TemporaryFile {
      var file = PcapngBuilder()
      file.interface()
      file.enhanced(pattern(60))
      file.block(4, file.option(1, [192, 0, 2, 1] + Array("\(name)\0".utf8)))
      file.statistics(interface: 0, options: file.option(5, Order.little(dropped)))
      return try TemporaryFile(file.octets)
    }
    let files = [try pcapng("a", 2), try file([0]), try pcapng("b", 3)]
    var series = CaptureSeries(paths: files.map(\.path))
    #expect(SeriesReading(&series).errors.isEmpty)
    #expect(series.dropped == 5)
    #expect(series.takeNames().map(\.name) == [[0x61], [0x62]])
    #expect(series.takeNames().isEmpty)
  }

  @Test func theFilterHoldsForAllFilesButNotForTheirOrder() throws {
    let files = [try file([500]), try file([100])]
    var series = CaptureSeries(paths: files.map(\.path), filter: try PacketFilter("ip proto 200"))
    #expect(series.paths == [files[1].path, files[0].path])
    #expect(SeriesReading(&series).events == ["capture", "continuation"])
  }
}
