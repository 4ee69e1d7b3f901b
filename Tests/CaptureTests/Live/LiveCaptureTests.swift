import HTTPReassembly
import Testing

@testable import Capture

/// Captures of the loopback interface, as far as this process may.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LiveCaptureTests {
  /// Why not; nil if it may.
  private static let refusal: String? = PcapHandle.refusal(LoopbackSocket.interface)
  private static let mayCapture = refusal == nil
  private static let reason: Comment = "\(LoopbackSocket.interface): \(refusal ?? "")"

  private let loopback = LoopbackSocket.interface

  @Test func interfacesAreListed() throws {
    let interfaces = try NetworkInterface.all()
    let found = try #require(interfaces.first { $0.name == loopback })
    #expect(found.isLoopback && found.isUp && found.isRunning && !found.isWireless)
    #expect(found.addresses.contains(IPAddress(v4: 0x7f00_0001)))
    #expect(found.refusal == Self.refusal)
    #expect(found.allowsCapture == Self.mayCapture)
  }

  @Test func anUnknownInterfaceIsNamed() {
    let error = #expect(throws: CaptureError.self) { try LiveCapture(interface: "nosuch0") }
    #expect(error?.description.hasPrefix("nosuch0: ") == true)
    if Self.mayCapture { #expect(error?.description.contains("no such interface") == true, "\(error as Any)") }
  }

  @Test func theLackOfPermissionSaysWhatToDo() {
    // PCAP_ERROR_PERM_DENIED
    let text = InterfaceFault.text(status: -8, words: "socket: Operation not permitted")
    #expect(text.hasPrefix("no permission to capture (socket: Operation not permitted): "))
    #if os(macOS)
      #expect(text.contains("ChmodBPF"))
    #else
      #expect(text.contains("setcap cap_net_raw=ep /"))
    #endif
    #expect(!text.contains("\n"))
  }

  @Test(.enabled(if: mayCapture, reason)) func aWrongFilterIsToldByLibpcap() throws {
    let filter = try PacketFilter("wlan type mgt")
    let error = #expect(throws: CaptureError.self) { try LiveCapture(interface: loopback, filter: filter) }
    #expect(error?.description.hasPrefix("\(loopback): filter: ") == true)
  }

  @Test(.enabled(if: mayCapture, reason)) func everyDatagramIsSeenOnce() throws {
    let (sender, receiver) = (try LoopbackSocket.datagrams(), try LoopbackSocket.datagrams())
    let capture = try LiveCapture(interface: loopback, filter: try PacketFilter("udp port \(receiver.port)"))
    #expect(capture.warnings.isEmpty)
    #expect(capture.snapshotLength == 262_144)
    var reader = try LiveCaptureReader([capture])
    let start = SystemClock.nanosecondsSinceEpoch
    for number in 0..<2000 { try sender.send(pattern(number % 1000, seed: number), to: receiver.port) }
    // At once: what the kernel has not handed over yet must come, too.
    reader.stop()
    let reading = LiveReading(&reader)
    let end = SystemClock.nanosecondsSinceEpoch
    #expect(reading.isEnded)
    #expect(reading.errors.isEmpty)
    #expect(reading.packets.count == 2000)
    let headers = capture.linkType == .null ? 32 : 42
    for (number, live) in reading.packets.enumerated() {
      #expect(live.packet.originalLength == headers + number % 1000)
      #expect(Array(live.packet.octets.dropFirst(headers)) == pattern(number % 1000, seed: number))
      #expect((start - 1_000_000_000..<end + 1_000_000_000).contains(live.packet.timestamp))
    }
    let statistics = reader.statistics[0]
    #expect(statistics.captured == 2000)
    #expect(statistics.received >= 2000)
    #expect(statistics.dropped == 0)
    if capture.hasNanoseconds { #expect(reading.packets.contains { $0.packet.timestamp % 1000 != 0 }) }
  }

  @Test(.enabled(if: mayCapture, reason)) func everyOctetOfAStreamIsSeen() throws {
    let listener = try LoopbackSocket.listening()
    let capture = try LiveCapture(interface: loopback, filter: try PacketFilter("tcp dst port \(listener.port)"))
    var reader = try LiveCaptureReader([capture])
    let length = 4 << 20
    try {
      let client = try LoopbackSocket.connected(to: listener.port)
      let server = try listener.accepted()
      for part in 0..<64 {
        try client.write(pattern(length / 64, seed: part))
        #expect(server.skip(length / 64) == length / 64)
      }
    }()
    reader.stop()
    let link = capture.linkType == .null ? 4 : 14
    // Sequence numbers of the payloads, counted from the SYN; IPv4 is without options. TCP may send some octets twice.
    var initial: UInt32 = 0
    let payloads = LiveReading(&reader).packets.map { live -> Range<Int> in
      let octets = live.packet.octets
      #expect(octets.count == live.packet.originalLength)
      let tcp = octets.dropFirst(link + 20)
      let sequence = tcp.dropFirst(4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
      if tcp[tcp.startIndex + 13] & 2 != 0 { initial = sequence &+ 1 }
      let start = Int(sequence &- initial)
      return start..<start + tcp.count - Int(tcp[tcp.startIndex + 12] >> 4) * 4
    }
    var end = 0
    for payload in payloads.sorted(by: { $0.lowerBound < $1.lowerBound }) where !payload.isEmpty {
      #expect(payload.lowerBound <= end)
      end = max(end, payload.upperBound)
    }
    #expect(end == length)
    #expect(reader.statistics[0].dropped == 0)
  }

  @Test(.enabled(if: mayCapture, reason)) func severalInterfacesAreReadTogether() throws {
    #if os(macOS)
      let names = [loopback, loopback]
    #else
      let names = [loopback, "any"]
    #endif
    let (sender, receiver) = (try LoopbackSocket.datagrams(), try LoopbackSocket.datagrams())
    let filter = try PacketFilter("udp port \(receiver.port)")
    let captures = try names.map {
      try LiveCapture(interface: $0, filter: filter, options: .init(bufferLength: 1 << 20))
    }
    var reader = try LiveCaptureReader(captures)
    for number in 0..<100 { try sender.send(pattern(100, seed: number), to: receiver.port) }
    reader.stop()
    let reading = LiveReading(&reader)
    for interface in 0...1 {
      let payloads = reading.packets.filter { $0.interface == interface }.map { Array($0.packet.octets.suffix(100)) }
      #expect(payloads == (0..<100).map { pattern(100, seed: $0) })
    }
    #expect(Set(reading.packets.map(\.packet.linkType)) == Set(captures.map(\.linkType)))
  }

  /// Nothing captured, nothing lost, and yet it ends.
  @Test(.enabled(if: mayCapture, reason)) func anIdleInterfaceStops() throws {
    let capture = try LiveCapture(
      interface: loopback, filter: try PacketFilter("udp port 9 and less 1"), options: .init(bufferLength: 1 << 20))
    var reader = try LiveCaptureReader([capture])
    #expect(try reader.advance(waitingUpTo: .milliseconds(50)) == .idle)
    reader.stop()
    #expect(LiveReading(&reader).isEnded)
  }

  @Test(.enabled(if: mayCapture, reason)) func snapshotLengthCutsPackets() throws {
    let (sender, receiver) = (try LoopbackSocket.datagrams(), try LoopbackSocket.datagrams())
    let capture = try LiveCapture(
      interface: loopback, filter: try PacketFilter("udp port \(receiver.port)"), options: .init(snapshotLength: 60))
    var reader = try LiveCaptureReader([capture])
    try sender.send(pattern(1000), to: receiver.port)
    reader.stop()
    let packet = try #require(LiveReading(&reader).packets.first?.packet)
    #expect(packet.octets.count == 60)
    #expect(packet.originalLength == (capture.linkType == .null ? 1032 : 1042))
  }

  /// What is written while it is captured is what was captured.
  @Test(.enabled(if: mayCapture, reason)) func theSavedCaptureIsTheSame() throws {
    let (sender, receiver) = (try LoopbackSocket.datagrams(), try LoopbackSocket.datagrams())
    let capture = try LiveCapture(interface: loopback, filter: try PacketFilter("udp port \(receiver.port)"))
    let file = TemporaryFile()
    let writer = try PcapngFileWriter(path: file.path, interfaces: [.init(capture)], application: "test")
    var reader = try LiveCaptureReader([capture])
    for number in 0..<500 { try sender.send(pattern(number, seed: number), to: receiver.port) }
    reader.stop()
    var packets: [ReadPacket] = []
    while try reader.advance(waitingUpTo: .seconds(Event.patience)) == .packet {
      try reader.withPacket { packet, octets, interface throws(CaptureError) in
        packets.append(ReadPacket(packet, octets))
        try writer.append(packet, octets: octets, interface: interface)
      }
    }
    writer.update(reader.statistics)
    try writer.close()
    let reading = Reading(path: file.path)
    #expect(packets.count == 500)
    #expect(reading.packets == packets)
    #expect(reading.error == nil)
    #expect(reading.dropped == 0)
  }
}
