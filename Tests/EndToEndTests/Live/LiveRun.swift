import Foundation
import TestSupport
import Testing

/// `sniffer live` on the loopback, as it runs.
struct LiveRun {
  /// Whether this user may capture on the loopback, and has what these tests need.
  static let isPossible: Bool = {
    guard Environment.isRoot, LocalServer.python != nil else { return false }
    let arguments = ["live", "-i", "lo", "--allow-root", "--duration", "0.1", "-q"]
    return (try? Sniffer.run(arguments))?.status == 0
  }()

  let process: RunningCommand
  /// The folder of the reports.
  let report: URL

  /// Starts to capture what goes to or comes from a TCP port, and returns once packets are being taken.
  init(
    port: Int, in scratch: Scratch, _ arguments: [String] = ["--allow-root"], setting variables: [String: String?] = [:]
  ) throws {
    try self.init(filter: "tcp port \(port)", in: scratch, arguments, setting: variables)
  }

  /// Starts to capture what passes a filter, and returns once packets are being taken.
  init(
    filter: String, in scratch: Scratch, _ arguments: [String], setting variables: [String: String?] = [:]
  ) throws {
    report = scratch.url.appendingPathComponent("live")
    process = try RunningCommand(
      Sniffer.url,
      // Of a test that is killed, no run stays for good.
      ["live", "-i", "lo", "--filter", filter, "-o", report.path, "--duration", "1200"] + arguments,
      setting: variables)
    try #require(process.says("capturing on lo\n"), "\(process.error)")
  }

  /// A file of the report as it is now, read strictly.
  func file(_ name: String) throws -> CSVFile { try CSVFile([UInt8](Data(contentsOf: url(name)))) }

  /// A table that rows are being appended to, up to its last line end: what comes behind that is no row yet.
  func table(_ name: String) throws -> CSVFile { try CSVFile(lines(name)) }

  /// A file that is being appended to, up to its last line end.
  func lines(_ name: String) throws -> [UInt8] {
    let octets = try [UInt8](Data(contentsOf: url(name)))
    return Array(octets[..<((octets.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)])
  }

  /// Where a file of the report is.
  func url(_ name: String) -> URL { report.appendingPathComponent(name) }

  /// The requests that the report has now, those that are still open included, and each once.
  func requests() throws -> [CSVFile.Row] {
    var seen: Set<String> = []
    // The open ones first: one that becomes final in between is in both, and not in neither.
    let open = FileManager.default.fileExists(atPath: url("messages.open.csv").path)
    let rows = (open ? try file("messages.open.csv").rows : []) + (try table("messages.csv").rows)
    return rows.filter { $0["type"] == "request" && seen.insert($0.cells[0]).inserted }
  }

  /// Waits until the report has at least so many requests.
  func hasRequests(_ count: Int) throws -> Bool {
    try eventually { try requests().count >= count }
  }

  /// What the lines of the intervals have said up to now: figures by their names.
  var intervals: [[Substring: Double]] {
    process.error.split(separator: "\n").filter { $0.hasPrefix("sniffer: time=") }.map { line in
      let figures = line.split(separator: " ").compactMap { field -> (Substring, Double)? in
        let parts = field.split(separator: "=", maxSplits: 1)
        return parts.count == 2 ? Double(parts[1]).map { (parts[0], $0) } : nil
      }
      return Dictionary(figures) { first, _ in first }
    }
  }

  /// Ends the run as `systemctl stop` does. What was sent before comes through the ring, and into the report.
  func stop() throws -> Outcome {
    process.signal(SIGTERM)
    return try process.wait()
  }
}
