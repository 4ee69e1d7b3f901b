import ContentCodings
import Foundation
import HTTPReassembly
import Packets
import Partials
import Tabular
import TestSupport

/// What is known of packets: of one run over all of them, or of partials that were put together.
struct Findings: Equatable {
  var messages: [SeenMessage]
  var exchanges: [SeenExchange]
  var connections: [Connection]
  var details: [DetailRow]
  var apis: [String]
  var ledger: Ledger
  var tables: [String]
  var anomalies: [String]

  /// The rows in the order of their numbers.
  fileprivate init(_ sink: CollectingSink, _ totals: Totals) {
    messages = sink.messages.sorted { $0.number < $1.number }.map(\.withoutHandles)
    exchanges = sink.exchanges.sorted { $0.number < $1.number }.map(\.withoutHandles)
    connections = sink.connections.sorted { $0.number < $1.number }.map(Self.withoutHandles)
    details = sink.details
    apis = totals.apis.map { api in
      let name = "\(totals.texts.string(api.host)) \(totals.texts.string(api.path))"
      return "\(name) \(api.requests) \(api.responses) \(api.request) \(api.response)"
    }
    ledger = totals.ledger
    tables =
      totals.timeline.map { "\($0)" }
      + totals.contents.map {
        "\($0.contents) \($0.octets) \($0.sampled) \($0.compressed) \($0.repeated) \($0.savedOctets)"
      }
      + totals.fields.map { "\($0.name) \($0.messages) \($0.octets) \($0.expandedOctets) \($0.repeatedOctets)" }
      + totals.hosts.map { "\(totals.texts.string($0.host)) \($0.up) \($0.down) \($0.requests) \($0.unattributed)" }
    anomalies = totals.anomalies.all.map { "\($0.anomaly) \($0.count)" }
  }

  private static func withoutHandles(_ connection: Connection) -> Connection {
    var row = connection
    row.process = .none
    row.security?.serverName = .none
    row.security?.applicationProtocol = .none
    return row
  }

  /// One run over packets.
  init(ofOneRun packets: [TestPacket], _ configuration: Configuration) {
    OctetMark.fixKeys()
    var pipeline = Findings.pipeline(configuration)
    for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    let totals = pipeline.totals
    self.init(pipeline.sink, totals)
  }

  /// The partials of a file, put together as if each went on from the one before.
  init(ofPartials segments: [PartialSegment], _ configuration: Configuration) throws(PartialError) {
    var pipeline = Findings.pipeline(configuration)
    var reader = PartialReader()
    for segment in segments {
      try reader.begin(segment, &pipeline)
      reading: while true {
        switch try reader.advance(&pipeline, fault: { _ in }) {
        case .end: break reading
        case .event, .block: continue
        }
      }
    }
    pipeline.finishConnections()
    let totals = pipeline.totals
    self.init(pipeline.sink, totals)
  }

  private static func pipeline(_ configuration: Configuration) -> Pipeline<CollectingSink> {
    var configuration = configuration
    configuration.tables = [.hosts, .timeline, .contents, .fields, .grpc]
    return Pipeline(
      configuration: configuration, decoders: SystemContentDecoders(), compressor: GzipEstimate(),
      sink: CollectingSink())
  }
}

/// A folder for partials, which is gone at the end.
final class PartialFolder {
  let path: String
  private let folder: OutputFolder
  private var count = 0

  init() throws {
    OctetMark.fixKeys()
    path = FileManager.default.temporaryDirectory.appendingPathComponent("sniffer-partials-\(UUID().uuidString)").path
    folder = try OutputFolder(path)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The partials of the parts of a capture, put together. Where two connections have the same endpoints and partials do not tell them apart,
  /// merging asks for partials with all packets. These are then made, as a user makes them.
  func findings(of parts: [[TestPacket]], _ configuration: Configuration) throws -> Findings {
    let partial = try partial(of: parts, configuration)
    do { return try Findings(ofPartials: PartialSegment.all(in: partial.path), configuration) } catch {
      guard case .sameEndpoints = error.problem else { throw error }
    }
    let whole = try self.partial(of: parts, configuration, keepsPackets: true)
    return try Findings(ofPartials: PartialSegment.all(in: whole.path), configuration)
  }

  /// Makes the partial of each part of a capture, all in one file. Returns its path, and how many packets are kept in it.
  func partial(
    of parts: [[TestPacket]], _ configuration: Configuration, keepsPackets: Bool = false
  ) throws -> (path: String, kept: Int) {
    count += 1
    let file = try folder.file("\(count)")
    var kept = 0
    for part in parts {
      var scan = ConnectionScan(configuration: configuration)
      for packet in part { packet.octets.withOctets { scan.look(packet.facts, $0) } }
      scan.finish(configuration)
      if keepsPackets { scan.keepsAll = true }
      // A segment that turns out to be of no use is written to a file of its own.
      while true {
        let attempt = try folder.file("attempt")
        guard let segment = try write(part, &scan, to: attempt, configuration) else { continue }
        try attempt.close()
        kept += segment
        let octets = try Data(contentsOf: URL(fileURLWithPath: path + "/attempt"))
        try file.append(Array(octets))
        break
      }
    }
    try file.close()
    return (path + "/\(count)", kept)
  }

  private func write(
    _ part: [TestPacket], _ scan: inout ConnectionScan, to file: OutputFile, _ configuration: Configuration
  ) throws -> Int? {
    var analysis = PartAnalysis(
      configuration: configuration, decoders: SystemContentDecoders(), compressor: GzipEstimate(), captured: nil)
    var head = PartialHead()
    head.first = part.first?.timestamp
    head.last = part.last?.timestamp
    var writer = try PartialWriter(to: file, head)
    for packet in part {
      analysis.advance(to: packet.facts)
      try writer.addRecords(of: &analysis)
      packet.octets.withOctets { octets in
        if scan.keeps(packet.facts, octets) {
          writer.keep(packet.facts, octets)
          analysis.skip(packet.facts)
        } else {
          writer.count(packet.facts)
          analysis.process(packet.facts, octets)
        }
      }
      try writer.addRecords(of: &analysis)
    }
    guard analysis.finish(&scan) else { return nil }
    try writer.addRecords(of: &analysis)
    let kept = writer.head.keptPackets
    try writer.finish()
    return kept
  }

  /// Writes octets to a file of the folder.
  func file(_ octets: [UInt8]) throws -> String {
    count += 1
    try Data(octets).write(to: URL(fileURLWithPath: path + "/\(count)"))
    return path + "/\(count)"
  }
}
