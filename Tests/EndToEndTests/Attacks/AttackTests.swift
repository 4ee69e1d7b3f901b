import Foundation
import TestSupport
import Testing

/// The small attacks of `captures/attacks`: each comes out as `expected.csv` there says. `make attacks` runs all, the
/// large ones too, and measures their memory.
@Suite struct AttackTests {
  private static let folder =
    URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../captures/attacks").standardizedFileURL

  private static let cases: [CSVFile.Row] = {
    let octets = try? [UInt8](Data(contentsOf: folder.appendingPathComponent("expected.csv")))
    return ((try? CSVFile(octets ?? []))?.rows ?? []).filter { $0["size"] == "small" }
  }()

  @Test func everyCaptureIsExpected() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).filter { $0.hasSuffix(".pcap") }
    #expect(Set(files) == Set(Self.cases.map { Self.file($0["name"]) }))
    #expect(files.count > 30)
  }

  @Test(arguments: cases.map { $0["name"] })
  func attackComesOutAsExpected(_ name: String) throws {
    let expected = try #require(Self.cases.first { $0["name"] == name })
    let scratch = try Scratch()
    let capture = Self.folder.appendingPathComponent(Self.file(name)).path
    let options = expected["options"].split(separator: " ").map(String.init)
    let outcome = try Sniffer.run([capture, "-o", scratch.path("report")] + options)
    #expect(outcome.status == 0 && !outcome.wasKilled)
    let report = try Report(folder: scratch.url.appendingPathComponent("report"))
    #expect(report.ledger("difference") == 0)
    let requests = report.messages.rows.filter { $0["type"] == "request" }
    #expect(requests.count == expected.integer("requests"))
    #expect(report.messages.rows.count - requests.count == expected.integer("responses"))
    // More than three are not listed.
    let paths = requests.count <= 3 ? requests.map { $0["path"] } : []
    #expect(paths.joined(separator: " ") == expected["paths"])
    for figure in expected["octets"].split(separator: " ") {
      let parts = figure.split(separator: "=").map(String.init)
      #expect(report.ledger(parts[0]) == Int(parts[1]), "\(parts[0])")
    }
    let flags = Set(report.messages.rows.flatMap { $0["flags"].split(separator: " ") })
    #expect(flags.sorted().joined(separator: " ") == expected["flags"])
    #expect(report.anomalies.rows.map { $0["name"] }.sorted().joined(separator: " ") == expected["anomalies"])
  }

  /// `zstd --long` makes windows of up to 128 MiB. One has room beside all else of a run.
  @Test func oneOfTheLongestWindowsFits() throws {
    let scratch = try Scratch()
    let capture = Self.folder.appendingPathComponent("long-windows.pcap").path
    #expect(try Sniffer.run([capture, "-o", scratch.path("report")]).status == 0)
    let report = try Report(folder: scratch.url.appendingPathComponent("report"))
    let responses = report.messages.rows.filter { $0["type"] == "response" }
    #expect(responses.count { $0["flags"].isEmpty && !$0["decoded_body_bytes"].isEmpty } == 1)
  }

  /// A short run of `make attacks`: several attacks at once, which a seed draws. Larger ones take minutes.
  @Test func mixesOfAttacksComeOutAsPromised() throws {
    let python = try #require(LocalServer.python)
    let mix = Self.folder.appendingPathComponent("mix").path
    let run = try Command.run(
      python, [mix, Sniffer.url.path, "--seed", "18", "--count", "6", "--largest", "2000", "--any-build"])
    #expect(run.status == 0, "\(run.output)\(run.error)")
    #expect(run.output.split(separator: "\n").count == 7)
  }

  private static func file(_ name: String) -> String { name.replacing("_", with: "-") + ".pcap" }
}
