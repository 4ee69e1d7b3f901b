import Foundation
import Shared
import TestSupport
import Testing

/// A capture of the repository's `captures` folder.
struct CaptureFile: Sendable, CustomTestStringConvertible {
  /// The name without what says its format.
  let name: String
  let url: URL

  var path: String { url.path }
  var testDescription: String { name }

  /// What the programs that were recorded say, if there is such a file.
  var witness: URL? {
    let witness = url.deletingLastPathComponent().appendingPathComponent("\(name).witness.csv")
    return FileManager.default.fileExists(atPath: witness.path) ? witness : nil
  }
}

/// The captures of the repository.
enum Corpus {
  /// The `captures` folder.
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("captures")

  /// All captures, by name.
  static let captures: [CaptureFile] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      guard let range = name.range(of: ".pcap") else { return nil }
      return CaptureFile(name: String(name[..<range.lowerBound]), url: folder.appendingPathComponent(name))
    }
  }()

  /// The captures that have a witness.
  static let witnessed = captures.filter { $0.witness != nil }

  /// The uncompressed pcap captures, which these tests can cut and count by themselves.
  static let plain = captures.filter { $0.url.pathExtension == "pcap" }

  /// A capture by its name.
  static func capture(_ name: String) throws -> CaptureFile {
    try #require(captures.first { $0.name == name }, "captures has no \(name)")
  }
}

/// What `sniffer CAPTURE -o DIR` made of a capture.
struct FileAnalysis: Sendable {
  let outcome: Outcome
  let report: Report

  /// Analyses a capture anew.
  init(_ arguments: [String], input: URL? = nil) throws {
    let scratch = try Scratch()
    outcome = try Sniffer.run(arguments + ["-o", scratch.path("report")], input: input)
    report = try Report(folder: scratch.url.appendingPathComponent("report"))
  }

  private static let known = Locked<[String: FileAnalysis]>([:])

  /// The analysis of a capture without options; each is made once in a run of the tests.
  static func of(_ capture: CaptureFile) throws -> FileAnalysis {
    try known.withLock { known in
      if let analysis = known[capture.name] { return analysis }
      let analysis = try FileAnalysis([capture.path])
      known[capture.name] = analysis
      return analysis
    }
  }
}

extension CSVFile {
  /// The rows of a table that another program wrote, with LF at the end of its lines.
  static func rows(of table: URL) throws -> [Row] {
    try CSVFile([UInt8](Data(contentsOf: table)), lineEnd: .lineFeed).rows
  }
}
