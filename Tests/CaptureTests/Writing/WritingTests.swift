import Foundation
import HTTPReassembly
import Testing

@testable import Capture

@Suite struct WritingTests {
  private let folder: TemporaryFolder
  private let ethernet = PcapngFileWriter.Interface(
    name: "eth0", linkType: .ethernet, snapshotLength: 262_144, filter: "tcp port 80")

  init() throws { folder = try TemporaryFolder() }

  private func writer(
    _ name: String = "live.pcapng", _ interfaces: [PcapngFileWriter.Interface]? = nil, rotation: FileRotation? = nil
  ) throws -> PcapngFileWriter {
    try PcapngFileWriter(
      path: folder.file(name), interfaces: interfaces ?? [ethernet], application: "sniffer test", rotation: rotation)
  }

  /// Some packets of several link types and lengths, and their interfaces.
  private func packets(_ count: Int) -> [(packet: ReadPacket, interface: Int)] {
    (0..<count).map { number in
      let octets = pattern(number * 37 % 1600, seed: number)
      return (
        ReadPacket(
          timestamp: 1_700_000_000_123_456_789 + Int64(number) * 1_000_003, originalLength: octets.count + number % 2,
          linkType: number % 3 == 0 ? .raw : .ethernet, frameCheckSequenceLength: number % 5 == 0 ? 4 : 0,
          octets: octets), number % 3 == 0 ? 1 : 0
      )
    }
  }

  @Test func whatIsWrittenIsRead() throws {
    let packets = packets(3000)
    let writer = try writer("a.pcapng", [ethernet, .init(name: "tun0", linkType: .raw)])
    for (packet, interface) in packets { try writer.append(packet, interface: interface) }
    var statistics = [CaptureStatistics(), CaptureStatistics()]
    statistics[0].received = 3000
    statistics[0].droppedByKernel = 5
    statistics[0].droppedByQueue = 70
    statistics[1].droppedByInterface = 900
    writer.update(statistics)
    try writer.close()
    #expect(writer.path == folder.file("a.pcapng"))
    #expect(writer.packetCount == 3000)
    let reading = Reading(path: folder.file("a.pcapng"), bufferCapacity: 1 << 16)
    #expect(reading.error == nil)
    #expect(reading.format == "pcapng")
    #expect(reading.packets == packets.map(\.packet))
    #expect(reading.dropped == 975)
    #expect(folder.names == ["a.pcapng"])
    #expect(try folder.attributes("a.pcapng")[.posixPermissions] as? Int == 0o600)
  }

  @Test func anEmptyCaptureIsOne() throws {
    let writer = try writer()
    // There from the start.
    #expect(Reading(path: folder.file("live.pcapng")).error == nil)
    try writer.close()
    let reading = Reading(path: folder.file("live.pcapng"))
    #expect(reading.error == nil)
    #expect(reading.packets.isEmpty)
    #expect(reading.dropped == 0)
    try writer.close()
  }

  @Test func packetsLargerThanTheBufferFit() throws {
    let packets = [10, 1 << 20, 300_000, 1].map { ReadPacket(timestamp: 1, originalLength: $0, octets: pattern($0)) }
    let writer = try writer()
    for packet in packets { try writer.append(packet) }
    try writer.close()
    #expect(Reading(path: folder.file("live.pcapng"), bufferCapacity: 4 << 20).packets == packets)
  }

  /// As after `kill -9`: whole blocks, and all that was flushed.
  @Test func theFileIsReadableAtAnyMoment() throws {
    let writer = try writer("live.pcapng", [ethernet, .init(name: "tun0", linkType: .raw)])
    var statistics = [CaptureStatistics(), CaptureStatistics()]
    for (number, (packet, interface)) in packets(2000).enumerated() {
      try writer.append(packet, interface: interface)
      if number % 100 == 50 {
        statistics[0].droppedByKernel += 1
        writer.update(statistics)
        try writer.flush()
      }
      guard number % 7 == 0 else { continue }
      let reading = Reading(path: folder.file("live.pcapng"))
      #expect(reading.error == nil)
      #expect(reading.packets.count >= (number + 49) / 100 * 100 - 49)
      #expect(reading.dropped == (number < 50 ? nil : statistics[0].droppedByKernel))
    }
  }

  @Test func whatIsLeftIsWrittenWhenTheWriterIsGivenUp() throws {
    func write() throws { try writer().append(packets(2)[1].packet) }
    try write()
    #expect(Reading(path: folder.file("live.pcapng")).packets.count == 1)
  }

  // MARK: Rotation

  @Test func filesAreNoLargerThanTheLimit() throws {
    let writer = try writer(rotation: FileRotation(maximumLength: 20_000))
    let packets = packets(200).map(\.packet)
    for packet in packets { try writer.append(packet) }
    try writer.close()
    let names = folder.names
    #expect(names.first == "live_00001.pcapng")
    #expect(names.count == (packets.reduce(0) { $0 + $1.octets.count + 32 } + 19_999) / 20_000 + 1)
    for name in names { #expect(try folder.size(name) <= 20_000) }
    for name in names.dropLast() { #expect(try folder.size(name) > 18_000) }
    for name in names { #expect(try folder.attributes(name)[.posixPermissions] as? Int == 0o600) }
    var series = folder.series()
    let reading = SeriesReading(&series)
    #expect(reading.packets.map(\.octets) == packets.map(\.octets))
    #expect(reading.events.filter { $0 == "continuation" }.count == names.count - 1)
    #expect(writer.path == folder.file(names[names.count - 1]))
  }

  /// A packet that is larger than the limit has a file to itself.
  @Test func aLargePacketGetsAFileOfItsOwn() throws {
    let writer = try writer(rotation: FileRotation(maximumLength: 1000))
    for length in [100, 5000, 100] {
      try writer.append(ReadPacket(timestamp: 0, originalLength: length, octets: pattern(length)))
    }
    try writer.close()
    #expect(folder.names.count == 3)
    let lengths = folder.names.map { Reading(path: folder.file($0)).packets.map(\.octets.count) }
    #expect(lengths == [[100], [5000], [100]])
  }

  @Test func filesLastForTheIntervalOfPacketTime() throws {
    let writer = try writer(rotation: FileRotation(interval: 1000))
    // The clock may be put back by a little within a file, and by more only into another.
    let times: [[Int64]] = [[5000, 5999, 4500], [6000, 6999], [7000], [100_000, 100_999], [50_000], [Int64.max - 1]]
    for time in times.joined() {
      try writer.append(ReadPacket(timestamp: time, originalLength: 60, octets: pattern(60)))
    }
    try writer.close()
    #expect(folder.names.map { Reading(path: folder.file($0)).packets.map(\.timestamp) } == times)
  }

  @Test func theOldestFilesAreRemovedThoseOfEarlierRunsFirst() throws {
    let rotation = FileRotation(interval: 1, maximumFiles: 3)
    for run in 0..<2 {
      let writer = try writer(rotation: rotation)
      for time in 0..<5 as Range<Int64> {
        try writer.append(ReadPacket(timestamp: Int64(run) * 10 + time, originalLength: 60, octets: pattern(60)))
        #expect(folder.names.count <= 3)
      }
      try writer.close()
      #expect(folder.names == (3...5).map { RotatedNames("live.pcapng").name($0 + run * 5) })
    }
    let times = folder.names.map { Reading(path: folder.file($0)).packets.map(\.timestamp) }
    #expect(times == [[12], [13], [14]])
  }

  @Test func onlyItsOwnFilesAreRemoved() throws {
    let others = [
      "live_0001.pcapng", "live_000001.pcapng", "live_+0001.pcapng", "live_00001.pcap", "other_00001.pcapng",
      "live_00000.pcapng", "live.pcapng", "live_00001_x.pcapng", "live_-0001.pcapng",
    ]
    for name in others { try Data().write(to: URL(fileURLWithPath: folder.file(name))) }
    try Data().write(to: URL(fileURLWithPath: folder.file("live_100000.pcapng")))
    let writer = try writer(rotation: FileRotation(interval: 1, maximumFiles: 1))
    try writer.close()
    #expect(folder.names == (others + ["live_100001.pcapng"]).sorted())
  }

  @Test func namesKeepTheirExtension() {
    #expect(RotatedNames("a.b.pcapng").name(1) == "a.b_00001.pcapng")
    #expect(RotatedNames("a").name(12) == "a_00012.pcapng")
    #expect(RotatedNames(".a").name(123_456) == ".a_123456.pcapng")
    #expect(RotatedNames("a.b").number("a_00007.b") == 7)
    #expect(RotatedNames("a.b").number("a_00007.c") == nil)
  }

  /// The files together tell of each loss once.
  @Test func lossesAreToldOnceOverAllFiles() throws {
    let writer = try writer(rotation: FileRotation(interval: 10))
    var statistics = CaptureStatistics()
    for time in 0..<55 as Range<Int64> {
      try writer.append(ReadPacket(timestamp: time, originalLength: 60, octets: pattern(60)))
      statistics.droppedByKernel += 1
      writer.update([statistics])
      if time % 4 == 0 { try writer.flush() }
    }
    statistics.droppedByQueue = 1000
    writer.update([statistics])
    try writer.close()
    #expect(folder.names.map { Reading(path: folder.file($0)).dropped } == [10, 10, 10, 10, 10, 1005])
    var series = folder.series()
    _ = SeriesReading(&series)
    #expect(series.dropped == 1055)
  }

  @Test func reopeningGoesOnInANewFileIfTheOldWasMoved() throws {
    let writer = try writer()
    let packets = packets(4).map(\.packet)
    try writer.append(packets[1])
    try writer.reopen()
    try writer.append(packets[2])
    try FileManager.default.moveItem(atPath: folder.file("live.pcapng"), toPath: folder.file("moved.pcapng"))
    try writer.append(packets[1])
    try writer.reopen()
    try writer.append(packets[2])
    try writer.close()
    #expect(Reading(path: folder.file("moved.pcapng")).packets.count == 3)
    #expect(Reading(path: folder.file("moved.pcapng")).error == nil)
    #expect(Reading(path: folder.file("live.pcapng")).packets.count == 1)
  }

  @Test func reopeningRotates() throws {
    let writer = try writer(rotation: FileRotation())
    try writer.reopen()
    try writer.close()
    #expect(folder.names == ["live_00001.pcapng", "live_00002.pcapng"])
  }

  // MARK: Faults

  @Test func aSymbolicLinkIsRefused() throws {
    try Data("keep".utf8).write(to: URL(fileURLWithPath: folder.file("target")))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("live.pcapng"), withDestinationPath: folder.file("target"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("dangling.pcapng"), withDestinationPath: folder.file("nowhere"))
    for name in ["live.pcapng", "dangling.pcapng"] {
      let error = #expect(throws: CaptureError.self) { try writer(name) }
      #expect(error == CaptureError(file: folder.file(name), problem: .cannotWrite(errno: ELOOP)))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("target"))) == Data("keep".utf8))
    #expect(folder.names == ["dangling.pcapng", "live.pcapng", "target"])
  }

  /// Whoever had the file open, or another name for it, does not get the new packets.
  @Test func anExistingFileIsReplacedAndNotEmptied() throws {
    try Data("keep".utf8).write(to: URL(fileURLWithPath: folder.file("live.pcapng")))
    try FileManager.default.linkItem(atPath: folder.file("live.pcapng"), toPath: folder.file("link"))
    try writer().close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("link"))) == Data("keep".utf8))
    #expect(try folder.attributes("live.pcapng")[.posixPermissions] as? Int == 0o600)
  }

  /// Two runs that save to one name, with and without rotation: the second is told, and takes nothing away.
  @Test(arguments: [nil, FileRotation(maximumFiles: 2)])
  func aFileThatAnotherRunWritesIsRefused(_ rotation: FileRotation?) throws {
    let first = try writer(rotation: rotation)
    let error = #expect(throws: CaptureError.self) { try writer(rotation: rotation) }
    #expect(error == CaptureError(file: first.path, problem: .isBeingWritten))
    #expect(folder.names.count == 1)
    try first.close()
    #expect(Reading(path: first.path).error == nil)
    try writer(rotation: rotation).close()
  }

  /// A file that somebody else planted, where this user can give one away, is replaced as well.
  @Test func aPlantedFileIsNeverWrittenInto() throws {
    let path = folder.file("live.pcapng")
    try Data("keep".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.linkItem(atPath: path, toPath: folder.file("victim"))
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    if geteuid() == 0 { try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: path) }
    try writer().close()
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("victim"))) == Data("keep".utf8))
    let attributes = try folder.attributes("live.pcapng")
    #expect(attributes[.posixPermissions] as? Int == 0o600 && attributes[.referenceCount] as? Int == 1)
    #expect((attributes[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid())
  }

  @Test func whatCannotBeCreatedIsNamed() throws {
    try FileManager.default.createDirectory(atPath: folder.file("dir"), withIntermediateDirectories: false)
    for (name, number) in [("no/live.pcapng", ENOENT), ("dir", EISDIR)] {
      let error = #expect(throws: CaptureError.self) { try writer(name) }
      #expect(error == CaptureError(file: folder.file(name), problem: .cannotWrite(errno: number)))
    }
    let wide = PcapngFileWriter.Interface(name: "x", linkType: LinkType(rawValue: 65_536))
    #expect(throws: CaptureError.self) { try writer("wide.pcapng", [wide]) }
    #expect(folder.names == ["dir"])
  }

  #if os(Linux)
    @Test func aFullDiskIsAnErrorThatStays() throws {
      let expected = CaptureError(file: "/dev/full", offset: 0, problem: .cannotWrite(errno: ENOSPC))
      #expect(throws: expected) {
        try PcapngFileWriter(path: "/dev/full", interfaces: [ethernet], application: "test")
      }
      #expect(expected.description == "/dev/full: offset 0: cannot write: No space left on device")
    }
  #endif

  @Test func devicesAreWrittenTo() throws {
    let writer = try PcapngFileWriter(path: "/dev/null", interfaces: [ethernet], application: "test")
    for (packet, _) in packets(1000) { try writer.append(packet) }
    try writer.close()
  }

  /// A disk that becomes full: what does not fit is cut off behind the last block that does.
  @Test func whatWasWrittenBeforeAnErrorStaysReadable() throws {
    var buffer = BlockBuffer(capacity: 1 << 16)
    PcapngEncoder.appendSection(application: "test", to: &buffer)
    PcapngEncoder.append(ethernet, to: &buffer)
    var ends: [Int] = [0, buffer.count]
    for packet in packets(20).map(\.packet) where packet.frameCheckSequenceLength == 0 {
      packet.octets.withOctets {
        PcapngEncoder.append(
          Packet(timestamp: 1, originalLength: 1600, linkType: .ethernet), octets: $0, interface: 0, to: &buffer)
      }
      ends.append(buffer.count)
    }
    let sectionLength = buffer.boundary(notAfter: ends[1] - 1)
    ends.insert(sectionLength, at: 1)
    for length in 0...buffer.count { #expect(buffer.boundary(notAfter: length) == ends.last { $0 <= length }) }
  }
}

extension PcapngFileWriter {
  /// Writes a packet that was read.
  func append(_ packet: ReadPacket, interface: Int = 0) throws(CaptureError) {
    let facts = Packet(
      timestamp: packet.timestamp, originalLength: packet.originalLength, linkType: packet.linkType,
      frameCheckSequenceLength: packet.frameCheckSequenceLength)
    try packet.octets.withOctets { octets throws(CaptureError) in
      try append(facts, octets: octets, interface: interface)
    }
  }
}
