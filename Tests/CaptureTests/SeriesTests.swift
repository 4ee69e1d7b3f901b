import Capture
import HTTPReassembly
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

  @Test func filesOfTheSameTimeAreInTheOrderOfTheirNames() throws {
    let files = [try file([100]), try file([100]), try file([100])]
    let paths = files.map(\.path)
    for order in [paths, paths.reversed(), [paths[1], paths[0], paths[2]]] {
      #expect(CaptureSeries(paths: order).paths == paths.sorted())
    }
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
    #expect(series.takeEvents().names.map(\.name) == [[0x61], [0x62]])
    #expect(series.takeEvents().isEmpty)
  }

  @Test func theFilterHoldsForAllFilesButNotForTheirOrder() throws {
    let files = [try file([500]), try file([100])]
    var series = CaptureSeries(paths: files.map(\.path), filter: try PacketFilter("ip proto 200"))
    #expect(series.paths == [files[1].path, files[0].path])
    #expect(SeriesReading(&series).events == ["capture", "continuation"])
  }

  // MARK: Without a step for each packet

  /// What comes of a series, in order: packets, names, passed times, captures and errors. With `passed`, as many packets at a
  /// time are passed on; with nil, each is a step.
  private func everything(_ paths: [String], filter: PacketFilter? = nil, passed: Int?) -> [String] {
    var series = CaptureSeries(paths: paths, filter: filter)
    var events: [String] = []
    while true {
      do throws(CaptureError) {
        let step = try series.advance()
        for event in series.takeEvents() { events.append("\(event)") }
        switch step {
        case .end: return events
        case .capture(let continues): events.append("capture \(continues)")
        case .packet:
          series.withPacket { events.append("\(ReadPacket($0, $1))") }
          guard let passed else { continue }
          var left = passed
          try series.passOn { packet, octets in
            events.append("\(ReadPacket(packet, octets))")
            left -= 1
            return left > 0
          }
        }
      } catch {
        events.append("\(error)")
      }
    }
  }

  /// Packets with names and statistics between them.
  private func eventful() throws -> TemporaryFile {
    var file = PcapngBuilder()
    file.interface()
    for number in 0..<20 {
      file.enhanced(pattern(60 + number), ticks: UInt64(number) * 1_000_000)
      if number % 5 == 3 { file.block(4, file.option(1, [192, 0, 2, UInt8(number)] + Array("a\(number)\0".utf8))) }
      if number % 7 == 4 {
        file.statistics(
          interface: 0, options: file.option(3, Order.little(0) + Order.little(UInt32(number) * 1_000_000 + 500_000)))
      }
    }
    return try TemporaryFile(file.octets)
  }

  @Test(arguments: [1, 2, 3, 1000])
  func passingOnComesToTheSame(_ passed: Int) throws {
    let files = try [
      file([100, 110, 120, 130, 140]), file([]), file([200, 210, 220], cut: 1), eventful(),
      TemporaryFile(Array("text".utf8)), file([300, 310]),
    ]
    let paths = files.map(\.path)
    let steps = everything(paths, passed: nil)
    #expect(steps.count > 40)
    #expect(steps.contains { $0.hasPrefix("timePassed") } && steps.contains { $0.hasPrefix("name") })
    #expect(everything(paths, passed: passed) == steps)
    let filter = try PacketFilter("greater 65")
    let filtered = everything(paths, filter: filter, passed: nil)
    #expect(filtered.count < steps.count)
    #expect(everything(paths, filter: filter, passed: passed) == filtered)
  }
}
