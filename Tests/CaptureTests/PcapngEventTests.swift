import HTTPReassembly
import Testing

@testable import Capture

/// What a pcapng file says between its packets, from honest and from hostile writers.
@Suite struct PcapngEventTests {
  private static let keyLog = Array("CLIENT_RANDOM 00 11\nCLIENT_RANDOM 22 33\n".utf8)

  // MARK: Secrets

  @Test(arguments: Order.allCases)
  func secretsComeInTheirPlace(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    file.secrets(Self.keyLog)
    file.enhanced(pattern(60), ticks: 1)
    file.enhanced(pattern(60), ticks: 2)
    // Without padding, and with each length of it.
    for count in 0..<5 { file.secrets(pattern(count), kind: 7) }
    file.enhanced(pattern(60), ticks: 3)
    file.secrets(Self.keyLog.reversed())
    let path = try TemporaryFile(file.octets)
    var reader = try CaptureReader(path: path.path)
    var secrets: [[SecretsRecord]] = []
    while try reader.advance() { secrets.append(reader.takeEvents().secrets) }
    secrets.append(reader.takeEvents().secrets)
    #expect(
      secrets == [
        [SecretsRecord(kind: .tlsKeyLog, octets: Self.keyLog)], [],
        (0..<5).map { SecretsRecord(kind: .init(rawValue: 7), octets: pattern($0)) },
        [SecretsRecord(kind: .tlsKeyLog, octets: Self.keyLog.reversed())],
      ])
  }

  /// The same through a series, also where packets are passed on without a step for each; and the secrets behind the last packet of
  /// a file come with the next capture or the end.
  @Test(arguments: [false, true])
  func secretsReachWhoeverDrivesASeries(passesOn: Bool) throws {
    var first = PcapngBuilder()
    first.interface()
    first.secrets([1])
    for time in 0..<5 as Range<UInt64> { first.enhanced(pattern(60), ticks: time) }
    first.secrets([2])
    first.enhanced(pattern(60), ticks: 5)
    first.secrets([3])
    var second = PcapngBuilder()
    second.interface()
    second.secrets([4])
    second.enhanced(pattern(60), ticks: 10)
    second.secrets([5])
    let files = try [TemporaryFile(first.octets), TemporaryFile(second.octets)]
    var series = CaptureSeries(paths: files.map(\.path))
    var events: [String] = []
    reading: while true {
      let step = try series.advance()
      for record in series.takeEvents().secrets { events.append("secrets \(record.octets)") }
      switch step {
      case .end: break reading
      case .capture: events.append("capture")
      case .packet:
        events.append("packet")
        if passesOn {
          try series.passOn { _, _ in
            events.append("packet")
            return true
          }
        }
      }
    }
    let packets = Array(repeating: "packet", count: 5)
    #expect(
      events == ["secrets [1]", "capture"] + packets + [
        "secrets [2]", "packet", "secrets [3]", "secrets [4]", "capture",
      ]
        + ["packet", "secrets [5]"])
  }

  /// A block that breaks its format says nothing, and harms nothing.
  @Test(arguments: Order.allCases)
  func brokenSecretsSayNothing(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    file.block(0x0a, [])
    file.block(0x0a, order(UInt32(0x544c_534b)))
    file.secrets(pattern(8), length: 9)
    file.secrets(pattern(8), length: .max)
    file.secrets(pattern(8), length: 7)
    file.enhanced(pattern(60))
    let reading = try Reading(file.octets)
    #expect(reading.error == nil)
    #expect(reading.packets.count == 1)
    #expect(reading.events.secrets.map(\.octets) == [pattern(7)])
  }

  /// Secrets are read in advance from the whole file, past packets of every kind, however many secrets there are in all.
  @Test(arguments: Order.allCases)
  func secretsAreReadInAdvance(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    for number in 0..<9 as Range<UInt8> {
      file.enhanced(pattern(60), ticks: 1)
      file.secrets([UInt8](repeating: number, count: CaptureLimits.waitingSecretsOctets / 2))
      file.simple(pattern(61))
      file.obsolete(pattern(62), ticks: 2)
    }
    file.secrets([9])
    let path = try TemporaryFile(file.octets)
    var found: [UInt8?] = []
    CaptureSecrets.read([path.path]) { found.append($0.octets.first) }
    #expect(found == (0...9).map { $0 })
  }

  /// A file that ends within secrets is cut there, wherever that is.
  @Test func cutSecretsAreACut() throws {
    var file = PcapngBuilder()
    file.interface()
    file.enhanced(pattern(60))
    let start = file.octets.count
    file.secrets(Self.keyLog)
    for length in start + 1..<file.octets.count {
      let reading = try Reading(Array(file.octets.prefix(length)))
      #expect(reading.packets.count == 1)
      #expect(reading.error?.offset == start)
      #expect(reading.events.secrets.isEmpty)
    }
  }

  /// Secrets larger than what may wait, or than a block that is seen whole, are passed over without being held.
  @Test func oversizedSecretsArePassedOver() throws {
    for count in [CaptureLimits.waitingSecretsOctets + 1, CaptureLimits.block] {
      var file = PcapngBuilder()
      file.interface()
      file.secrets([UInt8](repeating: 1, count: count))
      file.secrets([2])
      file.enhanced(pattern(60))
      let reading = try Reading(file.octets)
      #expect(reading.error == nil)
      #expect(reading.packets.count == 1)
      #expect(reading.events.secrets.map(\.octets) == [[2]])
    }
  }

  @Test func theLargestSecretsAreRead() throws {
    var file = PcapngBuilder()
    file.secrets([UInt8](repeating: 1, count: CaptureLimits.waitingSecretsOctets))
    file.secrets([2])
    let secrets = try Reading(file.octets).events.secrets
    #expect(secrets.map(\.octets.count) == [CaptureLimits.waitingSecretsOctets])
  }

  /// A million blocks before the first packet: as many wait as may, and when those were taken there is room again.
  @Test func aMillionSecretsAreBounded() throws {
    var one = PcapngBuilder()
    let start = one.octets.count
    one.secrets([1, 2, 3, 4])
    let block = one.octets[start...]
    var octets = Array(one.octets[..<start])
    octets.reserveCapacity(start + 1_000_000 * block.count + 1000)
    for _ in 0..<1_000_000 { octets += block }
    var rest = PcapngBuilder()
    rest.interface()
    rest.enhanced(pattern(60))
    rest.secrets([9])
    octets += rest.octets
    let file = try TemporaryFile(octets)
    var reader = try CaptureReader(path: file.path)
    #expect(try reader.advance())
    #expect(reader.takeEvents().secrets.count == CaptureLimits.waitingSecrets)
    #expect(try !reader.advance())
    #expect(reader.takeEvents().secrets.map(\.octets) == [[9]])
  }

  /// The limits hold for all captures together if nobody takes what they say.
  @Test func aSeriesKeepsNoMoreThanOneCapture() throws {
    var file = PcapngBuilder()
    file.interface()
    for number in 0..<3 {
      file.secrets([UInt8](repeating: UInt8(number), count: CaptureLimits.waitingSecretsOctets / 4))
    }
    let files = try (0..<3).map { _ in try TemporaryFile(file.octets) }
    var series = CaptureSeries(paths: files.map(\.path))
    while try series.advance() != .end {}
    #expect(series.takeEvents().secrets.map(\.octets.first) == [0, 1, 2, 0])
  }

  @Test func noTextShowsSecrets() {
    let event = CaptureEvent.secrets(SecretsRecord(kind: .tlsKeyLog, octets: [211, 212, 213]))
    for text in ["\(event)", String(reflecting: event)] { #expect(text.contains("3 bytes") && !text.contains("21")) }
  }

  // MARK: Names

  @Test func longTextsAreNoNames() throws {
    var file = PcapngBuilder()
    func names(_ lengths: [Int]) -> [UInt8] {
      [192, 0, 2, 1] + lengths.flatMap { [UInt8](repeating: 0x61, count: $0) + [0] }
    }
    file.block(4, file.option(1, names([255, 256, 0, 3])) + file.option(1, names([60_000])))
    file.block(4, file.option(1, names([1]).dropLast()))
    #expect(try Reading(file.octets).names.map(\.name.count) == [255, 3, 1])
  }

  /// 200 blocks with 65,000 octets of names each, long and short ones, before anyone takes them.
  @Test(arguments: [1, 255, 65_000])
  func waitingNamesAreBounded(length: Int) throws {
    var file = PcapngBuilder()
    let names = Array([[UInt8](repeating: 0x61, count: length), [0]].joined())
    let value = [192, 0, 2, 1] + Array(repeating: names, count: 65_000 / names.count).joined()
    let start = file.octets.count
    file.block(4, file.option(1, value))
    let block = file.octets[start...]
    for _ in 1..<400 { file.octets += block }
    let found = try Reading(file.octets).names
    #expect(found.count == (length > 255 ? 0 : min(65_000 / names.count * 400, CaptureLimits.waitingNames)))
  }

  // MARK: Drops

  /// The sum of all interfaces is told whenever it changes, and only then.
  @Test func dropsAreToldWhenTheyChange() throws {
    var file = PcapngBuilder()
    func drops(_ count: UInt64) -> [UInt8] { file.option(5, Order.little(count)) }
    file.interface()
    file.interface()
    file.statistics(interface: 0, options: drops(2))
    file.enhanced(pattern(60))
    file.statistics(interface: 0, options: drops(2))
    file.enhanced(pattern(60))
    file.statistics(interface: 1, options: drops(3))
    file.statistics(interface: 0, options: drops(4))
    file.enhanced(pattern(60), options: file.option(4, Order.little(UInt64(9))))
    file.section(.little)
    file.interface()
    file.statistics(interface: 0, options: drops(100))
    let path = try TemporaryFile(file.octets)
    var reader = try CaptureReader(path: path.path)
    var told: [UInt64?] = []
    while try reader.advance() { told.append(reader.takeEvents().drops) }
    told.append(reader.takeEvents().drops)
    #expect(told == [2, nil, 12, 112])
    #expect(reader.dropped == 112)
    var series = CaptureSeries(paths: [path.path, path.path])
    var last: UInt64?
    while try series.advance() != .end { last = series.takeEvents().drops ?? last }
    last = series.takeEvents().drops ?? last
    #expect(last == 224 && series.dropped == 224)
  }
}
