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

  /// Starts to capture what goes to or comes from a port, and returns once packets are being taken.
  init(
    port: Int, in scratch: Scratch, _ arguments: [String] = ["--allow-root"], over transport: String = "tcp",
    setting variables: [String: String?] = [:]
  ) throws {
    report = scratch.url.appendingPathComponent("live")
    process = try RunningCommand(
      Sniffer.url,
      ["live", "-i", "lo", "--filter", "\(transport) port \(port)", "-o", report.path, "--duration", "120"] + arguments,
      setting: variables)
    let process = process
    _ = eventually { process.error.contains("capturing on lo\n") || !process.isRunning }
    try #require(process.isRunning, "\(process.error)")
  }

  /// A file of the report as it is now, read strictly.
  func file(_ name: String) throws -> CSVFile { try CSVFile([UInt8](Data(contentsOf: url(name)))) }

  /// Where a file of the report is.
  func url(_ name: String) -> URL { report.appendingPathComponent(name) }

  /// The requests that the report has now, those that are still open included, and each once.
  func requests() throws -> [CSVFile.Row] {
    var seen: Set<String> = []
    // The open ones first: one that becomes final in between is in both, and not in neither.
    let open = FileManager.default.fileExists(atPath: url("messages.open.csv").path)
    let rows = (open ? try file("messages.open.csv").rows : []) + (try file("messages.csv").rows)
    return rows.filter { $0["type"] == "request" && seen.insert($0.cells[0]).inserted }
  }

  /// Waits until the report has at least so many requests.
  func hasRequests(_ count: Int) throws -> Bool {
    try eventually { try requests().count >= count }
  }

  /// Ends the run as `systemctl stop` does, once the packets that were sent have come through the ring.
  func stop() throws -> Outcome {
    Thread.sleep(forTimeInterval: 0.5)
    process.signal(SIGTERM)
    return try process.wait()
  }
}
