import Foundation
import TestSupport

/// The CSV files that a run wrote, read strictly.
struct Report: Sendable {
  /// The names of the files.
  static let fileNames = [
    "anomalies.csv", "apis.csv", "connections.csv", "contents.csv", "exchanges.csv", "fields.csv", "grpc.csv",
    "hosts.csv", "ledger.csv", "messages.csv", "steps.csv", "timeline.csv",
    "websockets.csv",
  ]
  /// The names of the files of NDJSON.
  static let ndjsonNames = [
    "contents.ndjson", "fields.ndjson", "grpc.ndjson", "hosts.ndjson", "messages.ndjson", "steps.ndjson",
    "timeline.ndjson", "websockets.ndjson",
  ]

  let anomalies: CSVFile
  let apis: CSVFile
  let connections: CSVFile
  let contents: CSVFile
  let exchanges: CSVFile
  let fields: CSVFile
  let grpc: CSVFile
  let webSockets: CSVFile
  let hosts: CSVFile
  let ledger: CSVFile
  let messages: CSVFile
  let steps: CSVFile
  let timeline: CSVFile
  /// The files as they were written; the folder need not stay.
  private let octets: [String: [UInt8]]

  init(folder: URL) throws {
    var octets: [String: [UInt8]] = [:]
    for name in Self.fileNames { octets[name] = try [UInt8](Data(contentsOf: folder.appendingPathComponent(name))) }
    self.octets = octets
    func file(_ name: String) throws -> CSVFile { try CSVFile(octets[name] ?? []) }
    anomalies = try file("anomalies.csv")
    apis = try file("apis.csv")
    connections = try file("connections.csv")
    exchanges = try file("exchanges.csv")
    ledger = try file("ledger.csv")
    messages = try file("messages.csv")
    contents = try file("contents.csv")
    fields = try file("fields.csv")
    grpc = try file("grpc.csv")
    webSockets = try file("websockets.csv")
    hosts = try file("hosts.csv")
    steps = try file("steps.csv")
    timeline = try file("timeline.csv")
  }

  /// The files by name.
  var files: [(name: String, file: CSVFile)] {
    [
      ("anomalies.csv", anomalies), ("apis.csv", apis), ("connections.csv", connections),
      ("exchanges.csv", exchanges), ("ledger.csv", ledger), ("messages.csv", messages), ("contents.csv", contents),
      ("fields.csv", fields), ("grpc.csv", grpc), ("hosts.csv", hosts), ("steps.csv", steps),
      ("timeline.csv", timeline), ("websockets.csv", webSockets),
    ]
  }

  /// A figure of the ledger.
  func ledger(_ name: String) -> Int? { ledger.rows.first { $0["class"] == name }.flatMap { Int($0["bytes"]) } }

  /// A file as it was written.
  func octets(_ name: String) -> [UInt8] { octets[name] ?? [] }

  /// The names of the files whose octets differ from those of another report.
  func differences(from other: Report) -> [String] {
    Self.fileNames.filter { octets($0) != other.octets($0) }
  }

  /// The same of a live run and of its packets read later: the intervals of its timeline are longer.
  func differences(fromLive live: Report) -> [String] { differences(from: live).filter { $0 != "timeline.csv" } }
}

extension [CSVFile.Row] {
  /// The sum of a column; empty cells count as 0.
  func sum(_ column: String) -> Int { reduce(0) { $0 + $1.integer(column) } }
}
