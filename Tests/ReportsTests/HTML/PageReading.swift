import ContentCodings
import Foundation
import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// A page that was written, and its data as another reader of JSON sees it.
struct WrittenPage {
  let text: String
  let data: [String: Any]

  /// The page of packets, with all tables of a report.
  init(
    _ packets: [TestPacket], configuration: Configuration = Configuration(), redaction: Redaction? = nil
  ) throws {
    let folder = TemporaryFolder()
    let report = try HTMLReport(folder: folder.path, grouping: .init(), redaction: redaction)
    var configuration = configuration
    configuration.tables = [.hosts, .timeline, .contents, .fields]
    var pipeline = Pipeline(
      configuration: configuration, decoders: SystemContentDecoders(), observer: report.observer,
      compressor: GzipEstimate(), sink: report)
    for packet in packets { try packet.octets.withOctets { try pipeline.process(packet.facts, $0) } }
    try pipeline.finishConnections()
    try report.finish(pipeline.totals)
    try self.init(folder)
  }

  /// The page in a folder.
  init(_ folder: TemporaryFolder) throws {
    text = folder.text("report.html")
    let start = try #require(text.range(of: "id=\"data\">"))
    let end = try #require(text.range(of: "</script>", range: start.upperBound..<text.endIndex))
    let value = try JSONSerialization.jsonObject(with: Data(text[start.upperBound..<end.lowerBound].utf8))
    data = try #require(value as? [String: Any])
  }

  /// The rows of a table as records.
  func rows(_ name: String) throws -> [[String: Any]] {
    let table = try table(name)
    let columns = try #require(table["columns"] as? [String])
    return try #require(table["rows"] as? [[Any]]).map { Dictionary(uniqueKeysWithValues: zip(columns, $0)) }
  }

  /// One of the things that would save octets; nil when the page does not have it.
  func saving(_ id: String) throws -> [String: Any]? {
    try #require(data["savings"] as? [[String: Any]]).first { $0["id"] as? String == id }
  }

  func table(_ name: String) throws -> [String: Any] { try #require(data[name] as? [String: Any]) }

  func number(_ object: String, _ name: String) throws -> Int {
    let number = try table(object)[name] as? Int
    return try #require(number)
  }
}
