import Foundation
import Testing

/// `--jobs`: how many threads work is no matter of what comes out.
@Suite struct JobsTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(
    .enabled(if: Environment.tool("sqlite3") != nil, "sqlite3 is not installed"),
    arguments: ["demo.pcapng.gz", "mixed-2000.pcap.gz", "one-sided.pcap", "loss-reorder.pcap.gz"])
  func filesAreTheSame(_ name: String) throws {
    let capture = Document.root.appendingPathComponent("captures/\(name)")
    guard FileManager.default.fileExists(atPath: capture.path) else {
      Issue.record("captures/\(name) is missing")
      return
    }
    var first: (output: String, files: [String: Data])?
    for jobs in ["1", "2", "7"] {
      let folder = scratch.path("\(name)-\(jobs)")
      let outcome = try Sniffer.run([
        capture.path, "--no-progress", "--jobs", jobs, "-o", folder, "--format", "csv,ndjson,sqlite",
      ])
      try #require(outcome.status == 0, "\(outcome.error)")
      var files: [String: Data] = [:]
      for file in try FileManager.default.contentsOfDirectory(atPath: folder) where !file.contains("sqlite") {
        files[file] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + file))
      }
      files["tables"] = try dump(folder)
      try #require(files.count >= 8)
      // It says what it wrote where.
      let output = outcome.output.replacing(folder, with: "folder")
      if let first {
        #expect(output == first.output)
        #expect(files == first.files)
      } else {
        first = (output, files)
      }
    }
  }

  /// What the database holds, but for when it was made.
  private func dump(_ folder: String) throws -> Data {
    let sqlite = try #require(Environment.tool("sqlite3"))
    let queries = ["messages", "exchanges", "connections", "apis", "ledger", "anomalies"].map { "SELECT * FROM \($0);" }
    let outcome = try Command.run(sqlite, [folder + "/report.sqlite", queries.joined()])
    try #require(outcome.status == 0, "\(outcome.error)")
    return Data(outcome.outputOctets)
  }
}
