import Foundation
import TestSupport

/// The corpus, its oracle, and what the library finds in it; every capture is run once.
enum Corpus {
  /// The captures, as paths in the corpus, in the order of the manifest.
  static let files: [String] = ((try? rows(of: "MANIFEST.csv")) ?? []).map { $0["file"] }

  /// What the library finds in each capture.
  static let runs: [String: CaptureRun] = Dictionary(
    uniqueKeysWithValues: files.map { ($0, CaptureRun(path: "\(Locations.corpus)/\($0)")) })

  /// The rows of a CSV file of the corpus.
  static func rows(of path: String) throws -> [CSVFile.Row] {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(Locations.corpus)/\(path)"))
    return try CSVFile([UInt8](data), lineEnd: .lineFeed).rows
  }

  /// A table of the oracle.
  static func oracle(_ name: String) throws -> [CSVFile.Row] { try rows(of: "oracle/\(name)") }

  /// A table of the oracle by capture.
  static func oracleByFile(_ name: String) throws -> [String: [CSVFile.Row]] {
    Dictionary(grouping: try oracle(name)) { $0["file"] }
  }

  /// The class of a capture: its folder.
  static func className(of file: String) -> String { String(file.prefix { $0 != "/" }) }
}
