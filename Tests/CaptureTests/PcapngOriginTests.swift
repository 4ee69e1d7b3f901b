import Foundation
import Packets
import Testing

@testable import Capture

/// Which interface and which process a packet has, and what else its capture says about it.
@Suite struct PcapngOriginTests {
  @Test(arguments: Order.allCases)
  func interfacesAreNumberedAndNamed(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface(1, options: file.option(2, "en0") + file.option(3, "Wi-Fi"))
    file.interface(101)
    file.enhanced(pattern(60), interface: 1)
    file.simple(pattern(60))
    file.obsolete(pattern(60), interface: 1)
    // Another order of the same interfaces, and a new one.
    file.section(order)
    file.interface(101)
    file.interface(1, options: file.option(2, "en1"))
    file.interface(1, options: file.option(3, "Wi-Fi") + file.option(2, "en0\0"))
    for interface in 0..<3 as Range<UInt32> { file.enhanced(pattern(60), interface: interface) }
    let reading = try Reading(file.octets)
    #expect(reading.error == nil)
    #expect(
      reading.events == [
        .interface(InterfaceRecord(number: 1, name: "en0", details: "Wi-Fi", linkType: .ethernet)),
        .interface(InterfaceRecord(number: 2, name: "", details: "", linkType: .raw)),
        .interface(InterfaceRecord(number: 3, name: "en1", details: "", linkType: .ethernet)),
      ])
    #expect(reading.origins.map(\.interface) == [2, 1, 2, 2, 3, 1])
  }

  /// The same interface has the same number in all files of a series, and is told once.
  @Test func numbersHoldForASeries() throws {
    let folder = try TemporaryFolder()
    // All have the same time, so that their names decide on their order.
    let paths = try [["a", "b"], ["c", "b"], ["a"]].enumerated().map { number, names in
      var file = PcapngBuilder()
      for name in names { file.interface(options: file.option(2, name)) }
      for index in names.indices { file.enhanced(pattern(60), interface: UInt32(index)) }
      let path = folder.file("\(number).pcapng")
      try Data(file.octets).write(to: URL(fileURLWithPath: path))
      return path
    }
    var series = CaptureSeries(paths: paths)
    var numbers: [UInt16] = []
    var names: [String] = []
    while true {
      let step = try series.advance()
      names += series.takeEvents().interfaces.map { "\($0.number)\($0.name)" }
      if step == .end { break }
      if step == .packet { series.withPacket { packet, _ in numbers.append(packet.origin.interface) } }
    }
    #expect(numbers == [1, 2, 3, 2, 1])
    #expect(names == ["1a", "2b", "3c"])
  }

  @Test func pcapSaysNothing() throws {
    var file = PcapBuilder()
    file.record(pattern(60))
    #expect(try Reading(file.octets).origins == [PacketOrigin()])
  }

  @Test(arguments: Order.allCases)
  func directionsAreRead(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    for flags in [0, 1, 2, 3, 0xffff_fffd] as [UInt32] {
      file.enhanced(pattern(61), options: file.option(2, order(flags)))
    }
    file.enhanced(pattern(61))
    #expect(try Reading(file.octets).origins.map(\.flags) == [[], [.inbound], [.outbound], [], [.inbound], []])
  }

  // MARK: Processes

  /// Apple's options refer to the process blocks of their section, from 0.
  @Test(arguments: Order.allCases)
  func processesOfPackets(order: Order) throws {
    var file = PcapngBuilder(order)
    let uuid = pattern(16)
    func options(_ process: UInt32, _ effective: UInt32? = nil, flags: UInt32? = nil) -> [UInt8] {
      file.option(0x8001, order(process)) + (effective.map { file.option(0x8003, order($0)) } ?? [])
        + (flags.map { file.option(0x8004, order($0)) } ?? []) + file.option(0, [])
    }
    file.interface()
    file.process(
      501, options: file.option(2, "curl") + file.option(3, "/usr/bin/curl") + file.option(4, uuid))
    file.process(77, options: file.option(2, "nsurlsessiond"))
    file.enhanced(pattern(60), options: options(1, 0, flags: 1 | 8))
    file.enhanced(pattern(61), options: options(0, flags: 2 | 4 | 16 | 32 | 64))
    file.enhanced(pattern(61), options: options(2, 3))
    file.enhanced(pattern(61))
    file.section(order)
    file.interface()
    file.enhanced(pattern(60), options: options(0))
    // Too short to say anything; the next one has the index 1 all the same.
    file.block(0x8000_0001, [])
    file.process(77, options: file.option(2, "nsurlsessiond"))
    file.enhanced(pattern(60), options: options(1, 0))
    let reading = try Reading(file.octets)
    #expect(reading.error == nil)
    #expect(
      reading.events.processes == [
        ProcessRecord(number: 1, identifier: 501, name: "curl", path: "/usr/bin/curl", uuid: uuid),
        ProcessRecord(number: 2, identifier: 77, name: "nsurlsessiond", path: "", uuid: []),
      ])
    #expect(reading.origins.map(\.process) == [2, 1, 0, 0, 0, 2])
    #expect(reading.origins.map(\.effectiveProcess) == [1, 0, 0, 0, 0, 0])
    #expect(
      reading.origins.map(\.flags) == [
        [.newFlow, .socket], [.keepAlive, .retransmission, .nexus, .wake], [], [], [], [],
      ])
  }

  @Test func brokenProcessesHarmNothing() throws {
    var file = PcapngBuilder()
    file.interface()
    file.process(1, options: Order.little(UInt16(2)) + Order.little(UInt16(400)) + [1, 2, 3, 4])
    file.process(2, options: file.option(4, pattern(15)) + file.option(2, [0xff, 0xfe]))
    file.process(3, options: file.option(2, pattern(2000)) + file.option(3, [UInt8](repeating: 0x61, count: 3000)))
    file.enhanced(pattern(60))
    let reading = try Reading(file.octets)
    #expect(reading.error == nil)
    #expect(reading.packets.count == 1)
    let processes = reading.events.processes
    #expect(processes.map(\.identifier) == [1, 2, 3])
    #expect(processes.map(\.uuid) == [[], [], []])
    #expect(processes[1].name == "\u{fffd}\u{fffd}")
    #expect(processes[2].path.utf8.count == CaptureLimits.programPathLength)
  }

  /// More processes than have numbers, and more than a section may describe.
  @Test func processesAreBounded() throws {
    var file = PcapngBuilder()
    file.interface()
    let count = CaptureLimits.processes + 10
    for identifier in 0..<count { file.process(UInt32(identifier)) }
    for index in [0, CaptureLimits.numberedProcesses - 1, CaptureLimits.numberedProcesses, count - 1] {
      file.enhanced(pattern(60), options: file.option(0x8001, Order.little(UInt32(index))))
    }
    let reading = try Reading(file.octets)
    #expect(reading.events.processes.count == CaptureLimits.numberedProcesses)
    #expect(reading.origins.map(\.process) == [1, UInt16(CaptureLimits.numberedProcesses), 0, 0])
  }

  @Test func interfacesAreBounded() throws {
    var file = PcapngBuilder()
    let count = CaptureLimits.numberedInterfaces + 1
    for number in 0..<count { file.interface(options: file.option(2, "veth\(number)")) }
    for index in [count - 2, count - 1] { file.enhanced(pattern(60), interface: UInt32(index)) }
    let reading = try Reading(file.octets)
    #expect(reading.events.interfaces.count == count - 1)
    #expect(reading.origins.map(\.interface) == [UInt16(count - 1), 0])
  }

  // MARK: Comments

  @Test(arguments: Order.allCases)
  func commentsAreNumbered(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    for comment in ["u-10", "u-11", "u-10", "", "u-11"] {
      file.enhanced(pattern(60), options: file.option(1, comment) + file.option(1, "another"))
    }
    file.enhanced(pattern(60), options: file.option(2, order(UInt32(1))))
    let reading = try Reading(file.octets)
    #expect(reading.origins.map(\.comment) == [1, 2, 1, 3, 2, 0])
    #expect(reading.origins.map { $0.flags.contains(.comment) } == [true, true, true, true, true, false])
    #expect(reading.events.comments.map(\.number) == [1, 2, 3])
    #expect(reading.events.comments.map(\.octets) == [Array("u-10".utf8), Array("u-11".utf8), []])
  }

  /// Every packet has another comment, so that most have no number; those that have one keep it.
  @Test func commentsAreBounded() throws {
    var file = PcapngBuilder()
    file.interface()
    let count = CaptureLimits.numberedComments + 100
    for _ in 0..<2 {
      for number in 0..<count { file.enhanced([1], options: file.option(1, "comment \(number)")) }
    }
    file.enhanced([1], options: file.option(1, [UInt8](repeating: 0x61, count: CaptureLimits.commentLength + 1)))
    let reading = try Reading(file.octets)
    let numbers = (1...CaptureLimits.numberedComments).map(UInt16.init) + Array(repeating: 0, count: 100)
    #expect(reading.origins.map(\.comment) == numbers + numbers + [0])
    #expect(reading.origins.allSatisfy { $0.flags.contains(.comment) })
    #expect(
      reading.events.comments.map { String(decoding: $0.octets, as: UTF8.self) }
        == (0..<CaptureLimits.numberedComments).map { "comment \($0)" })
  }

  // MARK: Dropped packets, and apps

  /// Apple's drop reason, or the function that dropped it.
  @Test(arguments: Order.allCases)
  func droppedPacketsAreMarked(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    file.enhanced(pattern(60), options: file.option(0x8007, order(UInt32(5))))
    file.enhanced(pattern(60), options: file.option(0x8007, order(UInt32(0))) + file.option(0x8009, [0]))
    file.enhanced(pattern(60), options: file.option(0x8009, "tcp_input"))
    file.enhanced(pattern(60), options: file.option(0x8007, [5, 0]) + file.option(0x8009, []))
    #expect(try Reading(file.octets).origins.map(\.flags) == [[.dropped], [], [.dropped], []])
  }

  /// A custom block of PCAPdroid: version, kind, user, two lengths, two names.
  private func app(
    _ user: UInt32, _ package: String, _ name: String, enterprise: UInt32 = 62652, version: UInt8 = 1, kind: UInt8 = 1,
    longer: UInt8 = 0, _ order: Order = .little
  ) -> [UInt8] {
    var octets = order(enterprise)
    octets += [version, kind]
    octets += order(user)
    octets += [UInt8(package.utf8.count), UInt8(name.utf8.count) + longer]
    octets += Array(package.utf8)
    return octets + Array(name.utf8)
  }

  @Test(arguments: Order.allCases)
  func appsAreNamed(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface(101)
    file.block(0xbad, app(10123, "org.example", "Wörter", order))
    file.enhanced(pattern(60), options: file.option(1, "u-10123"))
    file.block(0x4000_0bad, app(0xffff_ffff, "", "", order))
    // Other enterprises, versions and kinds, and names that overrun their block.
    file.block(0xbad, app(1, "a", "b", enterprise: 32473, order))
    file.block(0xbad, app(1, "a", "b", version: 2, order))
    file.block(0xbad, app(1, "a", "b", kind: 2, order))
    file.block(0xbad, app(1, "a", "bcd", longer: 9, order))
    file.block(0xbad, [UInt8](order(UInt32(62652))))
    file.block(0xbad, app(1, "a", "b", order) + pattern(5000))
    file.enhanced(pattern(60))
    let reading = try Reading(file.octets)
    #expect(reading.error == nil && reading.origins.count == 2)
    let apps = reading.events.compactMap { if case .app(let app) = $0 { app } else { nil } }
    #expect(
      apps == [
        AppRecord(user: 10123, package: "org.example", name: "Wörter"), AppRecord(user: -1, package: "", name: ""),
      ])
  }

  @Test func waitingAppsAreBounded() {
    var events = PendingEvents()
    for user in 0..<CaptureLimits.waitingApps + 7 {
      events.append(.app(AppRecord(user: Int32(user), package: "a", name: "b")))
    }
    #expect(!events.hasRoomForApp)
    #expect(events.take(dropped: nil).count == CaptureLimits.waitingApps)
    #expect(events.hasRoomForApp)
  }

  /// Comments beyond the octets of all together have no number.
  @Test func commentsAreBoundedTogether() {
    var table = OriginTable()
    var events = PendingEvents()
    let count = CaptureLimits.commentOctets / CaptureLimits.commentLength
    for number in 0..<count + 3 {
      var comment = [UInt8](repeating: 0x61, count: CaptureLimits.commentLength)
      for shift in 0..<4 { comment[shift] = UInt8(truncatingIfNeeded: number >> (8 * shift)) }
      let known = comment.withOctets { table.number(comment: $0, tellingIn: &events) }
      #expect(Int(known) == (number < count ? number + 1 : 0))
    }
  }

  /// What concerns the analysis of a packet is found by one look at its origin.
  @Test func whatConcernsAPacket() {
    func concerns(_ change: (inout PacketOrigin) -> Void) -> Bool {
      var origin = PacketOrigin(interface: 8191)
      origin.flags = [.inbound, .outbound, .newFlow, .keepAlive, .retransmission, .socket, .nexus, .wake]
      change(&origin)
      return origin.concernsPacket
    }
    #expect(!concerns { _ in })
    for bit in 0..<14 { #expect(concerns { $0.process = 1 << UInt16(bit) }) }
    for bit in 0..<14 { #expect(concerns { $0.effectiveProcess = 1 << UInt16(bit) }) }
    for bit in 0..<13 { #expect(concerns { $0.comment = 1 << UInt16(bit) }) }
    #expect(concerns { $0.flags.insert(.comment) } && concerns { $0.flags.insert(.dropped) })
  }
}
