import Packets
import TestSupport

@testable import HTTPReassembly

/// A connection of HTTP/3 with known truth: the octets of each stream, and the messages that they carry.
struct HTTP3Dialogue {
  /// One side's octets of a stream.
  struct Stream {
    var side: Side
    var number: UInt64
    var octets: [UInt8] = []
    /// Whether its sender ends it.
    var ends = true
  }

  /// A message as it is sent.
  struct Sent: Equatable {
    var stream: UInt64
    var kind: MessageKind
    var method: String
    var host = "api.example"
    var path: String
    var status = 0
    var octets = MessageOctets()
    var control = 0
    var decoded: Int?

    var text: String {
      "\(stream) \(kind) \(method) \(host) \(path) \(status) \(octets.startLine)/\(octets.header)/\(octets.body)"
        + "/\(octets.framing)/\(octets.trailer) control \(control) decoded \(decoded.map { "\($0)" } ?? "-")"
    }
  }

  var streams: [Stream] = []
  private(set) var sent: [Sent] = []
  private var pushes = 0
  private var writers: [QPACKWriter]
  private let capacity: Int

  /// - Parameter capacity: The dynamic table that each side allows the other one.
  init(capacity: Int = 4096) {
    self.capacity = capacity
    writers = [QPACKWriter(capacity: capacity), QPACKWriter(capacity: capacity)]
  }

  // MARK: Writing

  /// An integer of QUIC (RFC 9000 §16).
  static func integer(_ value: UInt64) -> [UInt8] {
    switch value {
    case 0..<64: [UInt8(value)]
    case 64..<(1 << 14): [0x40 | UInt8(value >> 8), UInt8(value & 255)]
    case (1 << 14)..<(1 << 30): (0..<4).map { UInt8(value >> (24 - 8 * $0) & 255) | ($0 == 0 ? 0x80 : 0) }
    default: (0..<8).map { UInt8(value >> (56 - 8 * UInt64($0)) & 255) | ($0 == 0 ? 0xc0 : 0) }
    }
  }

  static func frame(_ type: UInt64, _ payload: [UInt8]) -> [UInt8] {
    integer(type) + integer(UInt64(payload.count)) + payload
  }

  private static func way(_ random: inout SeededRandom) -> QPACKWriter.Way {
    QPACKWriter.Way.allCases.randomElement(using: &random) ?? .literal
  }

  /// Adds an exchange on a stream, which may promise a push.
  mutating func exchange(_ number: UInt64, mayPush: Bool = false, _ random: inout SeededRandom) {
    let hasBody = Bool.random(using: &random)
    let isInterim = Int.random(in: 0..<4, using: &random) == 0
    let hasTrailers = Int.random(in: 0..<3, using: &random) == 0
    let method = hasBody ? "POST" : "GET"
    let path = "/items/\(Int.random(in: 0..<5, using: &random))"
    var request = Sent(stream: number, kind: .request, method: method, path: path)
    var octets = head(
      0,
      [
        (":method", method), (":scheme", "https"), (":authority", "api.example"), (":path", path),
        ("user-agent", "test/1"), ("x-number", "\(Int.random(in: 0..<3, using: &random))"),
      ], &request, &random)
    if hasBody { octets += content(&request, &random) }
    request.decoded = request.octets.body
    streams.append(Stream(side: 0, number: number, octets: octets))
    sent.append(request)
    octets = mayPush && Int.random(in: 0..<4, using: &random) == 0 ? push(&random) : []
    if isInterim {
      var interim = Sent(stream: number, kind: .interim, method: method, path: path, status: 103)
      octets += head(1, [(":status", "103"), ("link", "</style.css>")], &interim, &random)
      interim.decoded = 0
      sent.append(interim)
    }
    var response = Sent(stream: number, kind: .response, method: method, path: path, status: 200)
    octets += head(
      1, [(":status", "200"), ("content-type", "application/json"), ("server", "s\(number % 3)")], &response, &random)
    octets += content(&response, &random)
    response.decoded = response.octets.body
    if hasTrailers {
      let section = section(1, [("x-checksum", "\(number)"), ("grpc-status", "0")], &random)
      octets += Self.frame(1, section.octets)
      response.octets.trailer = section.octets.count
      response.octets.framing += Self.frame(1, section.octets).count - section.octets.count
    }
    streams.append(Stream(side: 1, number: number, octets: octets))
    sent.append(response)
  }

  /// Adds a push, with its stream. Returns the frame that promises it (RFC 9114 §4.6).
  private mutating func push(_ random: inout SeededRandom) -> [UInt8] {
    let identifier = UInt64(pushes)
    let number = 19 + 4 * identifier
    let path = "/pushed/\(identifier)"
    pushes += 1
    let fields = [(":method", "GET"), (":scheme", "https"), (":authority", "api.example"), (":path", path), ("a", "b")]
    let promise = section(1, fields, &random)
    let frame = Self.frame(5, Self.integer(identifier) + promise.octets)
    var request = Sent(stream: number, kind: .request, method: "GET", path: path)
    request.octets.startLine = promise.pseudo
    request.octets.header = promise.other
    request.octets.framing = frame.count - promise.octets.count
    request.decoded = 0
    sent.append(request)
    var response = Sent(stream: number, kind: .response, method: "GET", path: path, status: 200)
    var octets = [1] + Self.integer(identifier) + head(1, [(":status", "200"), ("server", "push")], &response, &random)
    octets += content(&response, &random)
    response.decoded = response.octets.body
    streams.append(Stream(side: 1, number: number, octets: octets))
    sent.append(response)
    return frame
  }

  private mutating func section(
    _ side: Side, _ fields: [(String, String)], _ random: inout SeededRandom
  ) -> QPACKWriter.Section {
    let ways = fields.map { ($0.0, $0.1, capacity == 0 ? .staticTable : Self.way(&random)) }
    return writers[side].section(ways, baseOffset: Int.random(in: -3...3, using: &random))
  }

  private mutating func head(
    _ side: Side, _ fields: [(String, String)], _ message: inout Sent, _ random: inout SeededRandom
  ) -> [UInt8] {
    let section = section(side, fields, &random)
    message.octets.startLine = section.pseudo
    message.octets.header = section.other
    let octets = Self.frame(1, section.octets)
    message.octets.framing += octets.count - section.octets.count
    return octets
  }

  private func content(_ message: inout Sent, _ random: inout SeededRandom) -> [UInt8] {
    var octets: [UInt8] = []
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      if Int.random(in: 0..<4, using: &random) == 0 {
        // A reserved type (RFC 9114 §7.2.8), of which nobody knows anything.
        let grease = Self.frame(0x1f * UInt64.random(in: 0..<1000, using: &random) + 0x21, [1, 2, 3])
        octets += grease
        message.control += grease.count
      }
      let length = Int.random(in: 0..<200, using: &random)
      let payload = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let frame = Self.frame(0, payload)
      octets += frame
      message.octets.body += length
      message.octets.framing += frame.count - length
    }
    return octets
  }

  /// Adds the control streams and the encoder streams, once all exchanges are there.
  mutating func addControl(_ random: inout SeededRandom) {
    for side in 0..<2 {
      let first = UInt64(2 + side)
      var settings = Self.integer(1) + Self.integer(UInt64(capacity)) + Self.integer(7) + Self.integer(100)
      settings += Self.integer(0x1f * 7 + 0x21) + Self.integer(12345)
      var control = Self.integer(0) + Self.frame(4, settings)
      control += Self.frame(0xf0700, Self.integer(0) + Array("u=1".utf8)) + Self.frame(7, Self.integer(0))
      streams.append(Stream(side: side, number: first, octets: control, ends: false))
      streams.append(
        Stream(side: side, number: first + 4, octets: [2] + writers[side].instructions, ends: false))
      streams.append(Stream(side: side, number: first + 8, octets: [3, 0x81, 0x82], ends: false))
      streams.append(Stream(side: side, number: first + 12, octets: Self.integer(0x1f * 9 + 0x21) + [1, 2, 3, 4]))
    }
  }

  /// A random dialogue.
  static func random(_ random: inout SeededRandom, exchanges: Int) -> HTTP3Dialogue {
    var dialogue = HTTP3Dialogue(capacity: [0, 220, 512, 4096].randomElement(using: &random) ?? 0)
    for number in 0..<exchanges { dialogue.exchange(4 * UInt64(number), mayPush: true, &random) }
    dialogue.addControl(&random)
    return dialogue
  }

  var length: Int { streams.reduce(0) { $0 + $1.octets.count } }
}

/// A session of HTTP/3 without QUIC: the test brings octets of streams to it.
struct HTTP3Reading {
  var run: Run
  var session: HTTP3Session
  /// The octets that it was given, with those beyond a snap length.
  private(set) var given = 0
  private var overhead = 0
  private var time: Int64 = 1

  init(_ configuration: Configuration = Configuration()) {
    run = Run(configuration: configuration, decoders: nil)
    run.connection.number = 1
    run.connection.client = 0
    run.connection.beneath.isSecure = true
    session = HTTP3Session(ConnectionOpening(isSeen: true), client: 0, &run)
  }

  enum Fate {
    case whole
    /// Beyond the snap length.
    case unseen
    case missing
  }

  mutating func give(_ stream: HTTP3Dialogue.Stream, _ range: Range<Int>, _ fate: Fate = .whole) {
    time += 1
    var arrival = SegmentArrival.none
    arrival.time = time
    run.arrival = arrival
    if range.count > 0 {
      switch fate {
      case .whole:
        Array(stream.octets[range]).withOctets {
          session.receive(stream.side, stream: stream.number, $0, at: range.lowerBound, arrival, &run)
        }
      case .unseen, .missing:
        session.skip(
          stream.side, stream: stream.number, range.count, at: range.lowerBound, isInPacket: fate == .unseen, &run)
      }
      if fate != .missing {
        given += range.count
        overhead += 30
        let charge = Charge(position: range.lowerBound, retransmitted: 0, overhead: 30, length: range.count)
        session.charge(charge, stream: stream.number, to: stream.side, &run)
      }
    }
    if stream.ends, range.upperBound == stream.octets.count {
      session.finish(stream.side, stream: stream.number, isComplete: true, &run)
    }
  }

  /// A row of the reading.
  struct Row {
    var message: Message
    var text: String
    /// Whether it is this message. A response has no names if its request was not captured (MEASURES §2).
    func isTold(_ sent: HTTP3Dialogue.Sent) -> Bool {
      var sent = sent
      // The stream of a push may be lost.
      if message.stream == nil { sent.stream = .max }
      if message.flags.contains(.requestNotSeen) { (sent.method, sent.host, sent.path) = ("", "", "") }
      // An unknown field may be a content coding.
      if message.decodedBody == nil { sent.decoded = nil }
      return sent.text == text
    }
    var stream: UInt64? { message.stream }
  }

  /// Ends the connection. Returns its rows, and what does not add up.
  mutating func close() -> (rows: [Row], faults: [String]) {
    _ = session.close(&run)
    var rows: [Row] = []
    var sum = run.connection.added.unattributed + run.connection.added.control
    while let row = run.rows.nextFinalMessage() {
      let message = run.rows[message: row]
      sum += message.octets.total + message.tunnel + message.control + message.overhead
      let sent = HTTP3Dialogue.Sent(
        stream: message.stream ?? .max, kind: message.kind, method: run.texts.string(message.method),
        host: run.texts.string(message.host), path: run.texts.string(message.path), status: message.status,
        octets: message.octets, control: message.control, decoded: message.decodedBody)
      rows.append(Row(message: message, text: sent.text))
    }
    var faults: [String] = []
    if run.ledger.total != given { faults.append("\(run.ledger.total) octets have a class, of \(given)") }
    if sum != given + overhead { faults.append("rows and connection have \(sum) of \(given + overhead) octets") }
    if run.connectionMemory != 0 { faults.append("\(run.connectionMemory) octets of memory are left") }
    return (rows, faults)
  }
}
