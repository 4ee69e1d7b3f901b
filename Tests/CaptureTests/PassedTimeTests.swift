import HTTPReassembly
import Testing

@testable import Capture

/// What a capture tells of the time that passed without packets: the times of its interface statistics.
@Suite struct PassedTimeTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func writer(_ rotation: FileRotation? = nil) throws -> PcapngFileWriter {
    let interfaces = ["eth0", "eth1"].map { PcapngFileWriter.Interface(name: $0, linkType: .ethernet) }
    return try PcapngFileWriter(
      path: folder.file("live.pcapng"), interfaces: interfaces, application: "sniffer test", rotation: rotation)
  }

  private func packet(_ time: Int64) -> ReadPacket {
    ReadPacket(timestamp: time, originalLength: 60, octets: pattern(60))
  }

  /// What a series gives, in order: packet times, `+` before times that passed, `|` and `…` for captures.
  private func events(_ series: consuming CaptureSeries) throws -> [String] {
    var events: [String] = []
    while true {
      let step = try series.advance()
      if let time = series.takeEvents().passedTime { events.append("+\(time)") }
      #expect(series.takeEvents().isEmpty)
      switch step {
      case .packet: series.withPacket { packet, _ in events.append("\(packet.timestamp)") }
      case .capture(let continues): events.append(continues ? "…" : "|")
      case .end: return events
      }
    }
  }

  @Test func whatIsWrittenIsReadInItsPlace() throws {
    let writer = try writer()
    try writer.append(packet(1000))
    try writer.pass(to: 2000)
    try writer.pass(to: 3000)
    try writer.append(packet(4000))
    try writer.append(packet(4500))
    // A clock that was put back.
    try writer.pass(to: 9000)
    try writer.append(packet(5000))
    try writer.flush()
    try writer.pass(to: 6000)
    try writer.close()
    #expect(try events(folder.series()) == ["|", "1000", "+3000", "4000", "4500", "+9000", "5000", "+6000"])
    // One capture by itself.
    var reader = try CaptureReader(path: folder.file("live.pcapng"))
    var times: [Int64?] = []
    while try reader.advance() { times.append(reader.takeEvents().passedTime) }
    #expect(times == [nil, 3000, nil, 9000])
    #expect(reader.takeEvents().passedTime == 6000)
  }

  @Test func statisticsAsSuchTellNothingNew() throws {
    let writer = try writer()
    var statistics = [CaptureStatistics(), CaptureStatistics()]
    for time in 1...5 as ClosedRange<Int64> {
      try writer.append(packet(time * 1000))
      statistics[1].droppedByKernel += 1
      writer.update(statistics)
      try writer.flush()
    }
    try writer.close()
    #expect(
      try events(folder.series())
        == ["|", "1000", "+1000", "2000", "+2000", "3000", "+3000", "4000", "+4000", "5000", "+5000"])
    #expect(Reading(path: folder.file("live.pcapng")).dropped == 5)
  }

  @Test func rotatedFilesStayWithinTheirLength() throws {
    let limit = 4096
    let writer = try writer(FileRotation(maximumLength: limit))
    var expected: [Int64] = []
    for time in 1...200 as ClosedRange<Int64> {
      try writer.append(packet(time * 1000))
      expected.append(time * 1000 + 500)
      try writer.pass(to: time * 1000 + 500)
    }
    try writer.close()
    #expect(folder.names.count > 5)
    for name in folder.names { #expect(try folder.size(name) <= limit) }
    let passed = try events(folder.series()).compactMap { $0.hasPrefix("+") ? Int64($0.dropFirst()) : nil }
    // The statistics at a file's end are of its last packet.
    #expect(passed.filter { $0 % 1000 == 500 } == expected)
  }

  /// What a capture tells before its first packet is not of the capture before it.
  @Test func separateCaptures() throws {
    func file(_ times: [UInt64]) throws -> TemporaryFile {
      var file = PcapngBuilder()
      func statistics(_ time: UInt64) -> [UInt8] {
        file.order(UInt32(0)) + file.order(UInt32(time >> 32)) + file.order(UInt32(truncatingIfNeeded: time))
      }
      file.interface()
      for time in times {
        file.block(5, statistics(time - 50))
        file.enhanced(pattern(60), ticks: time)
      }
      file.block(5, statistics((times.last ?? 0) + 50))
      return try TemporaryFile(file.octets)
    }
    let files = [try file([100, 100_000_000]), try file([50_000_000])]
    #expect(
      try events(CaptureSeries(paths: files.map(\.path))) == [
        "|", "+50000", "100000", "+99999950000", "100000000000", "+100000050000", "|", "+49999950000", "50000000000",
        "+50000050000",
      ])
  }
}
