import Foundation
import Testing

/// Folders and patterns in the place of captures.
@Suite struct CaptureFolderTests {
  private static let fileCount = 3000
  private let scratch: Scratch
  private let folder: URL

  init() throws {
    scratch = try Scratch()
    folder = scratch.url.appendingPathComponent("captures")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Writes a capture of one exchange at some second.
  @discardableResult
  private func write(_ name: String, at second: Int, to folder: URL? = nil) throws -> URL {
    let file = (folder ?? self.folder).appendingPathComponent(name)
    let octets = HandMadeCapture.octets(
      request: "GET /\(second % 7) HTTP/1.1\r\nHost: a.example\r\n\r\n",
      response: "HTTP/1.1 204 No Content\r\n\r\n", at: HandMadeCapture.second + second)
    try Data(octets).write(to: file)
    return file
  }

  private func run(_ arguments: [String], _ options: [String] = []) throws -> Outcome {
    try Command.shell("cd \"$1\" && shift && exec \"$@\"", [scratch.url.path, Sniffer.url.path] + arguments + options)
  }

  private func report(_ arguments: [String], to name: String) throws -> Report {
    let outcome = try run(arguments, ["-q", "-o", scratch.path(name)])
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    return try Report(folder: scratch.url.appendingPathComponent(name))
  }

  /// With some twenty descriptors beyond those of the reports, and names in another order than the packets.
  @Test func thousandsOfFiles() throws {
    for index in 0..<Self.fileCount { try write("\((index * 7919) % Self.fileCount).pcap", at: index * 3600) }
    let outcome = try Command.shell(
      "ulimit -n 40 && exec \"$1\" \"$2\" -o \"$3\"", [Sniffer.url.path, folder.path, scratch.path("whole")])
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    #expect(outcome.output.contains("and 2,997 more"))
    let whole = try Report(folder: scratch.url.appendingPathComponent("whole"))
    #expect(whole.exchanges.rows.count == Self.fileCount && whole.connections.rows.count == Self.fileCount)
    let times = whole.messages.rows.map { $0.integer("first_time") }
    #expect(times == times.sorted() && whole.ledger("difference") == 0)
    let listed = try FileManager.default.contentsOfDirectory(atPath: folder.path).map { folder.path + "/" + $0 }
    #expect(try report(listed.shuffled(), to: "listed").differences(from: whole).isEmpty)
    #expect(try report(["captures/*.pcap"], to: "pattern").differences(from: whole).isEmpty)
    let few = try report(["captures/?.pcap", "captures/1??.pcap"], to: "few")
    #expect(few.exchanges.rows.count == 110)
  }

  @Test func whatIsNoCaptureIsPassedOver() throws {
    try write("b.pcap", at: 1)
    try write(".hidden.pcap", at: 2)
    try Data("text".utf8).write(to: folder.appendingPathComponent("notes.txt"))
    try Data().write(to: folder.appendingPathComponent("empty"))
    try Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6]).write(
      to: folder.appendingPathComponent("picture.png"))
    #expect(unsafe mkfifo(folder.appendingPathComponent("pipe").path, 0o600) == 0)
    let below = folder.appendingPathComponent("below")
    try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
    try write("c.pcap", at: 7200, to: below)
    let outcome = try run(["captures/"])
    #expect(outcome.status == 0)
    #expect(
      outcome.errorLines == ["sniffer: captures/: skipped 3 files that are not captures, and 1 folder in it"])
    #expect(outcome.output.contains("capture: captures/b.pcap"))
    let quiet = try run(["captures"], ["-q"])
    #expect(quiet.status == 0 && quiet.error.isEmpty)
    // A file that is named is an error as ever.
    #expect(try run(["captures/b.pcap", "captures/notes.txt"]).status == 1)
    let all = try report(["captures/**.pcap"], to: "all")
    #expect(all.exchanges.rows.count == 2)
    #expect(try report(["captures/*/c.pcap"], to: "below").exchanges.rows.count == 1)
  }

  @Test func compressedFilesAreKnownByTheirContent() throws {
    let capture = try write("a.pcap", at: 1)
    try Data("some text, compressed\n".utf8).write(to: folder.appendingPathComponent("text"))
    try #require(try Command.shell("gzip \"$1\" \"$2/text\"", [capture.path, folder.path]).status == 0)
    let outcome = try run(["captures"])
    #expect(outcome.status == 0 && outcome.errorLines.count == 1)
    #expect(outcome.error.contains("1 file that is not a capture"))
    #expect(outcome.output.contains("capture: captures/a.pcap.gz"))
  }

  @Test func nothingThere() throws {
    for argument in ["captures", "captures/*.pcap", "no-*"] {
      let outcome = try run([argument])
      #expect(outcome.status == 1 && outcome.output.isEmpty)
      #expect(outcome.errorLines == ["sniffer: \(argument): no capture file is there"])
    }
  }

  @Test func theSameFileTwice() throws {
    try write("a.pcap", at: 1)
    for arguments in [
      ["captures", "captures/a.pcap"], ["captures/a.pcap", "captures/?.pcap"], ["captures", "./captures"],
    ] {
      let outcome = try run(arguments)
      #expect(outcome.status == 64 && outcome.error.contains("a.pcap is there twice"), "\(outcome.error)")
    }
  }

  /// A name with a wildcard in it that a file has is that file's.
  @Test func aFileWithAWildcardInItsName() throws {
    try write("a?.pcap", at: 1)
    try write("ab.pcap", at: 2)
    #expect(try report(["captures/a?.pcap"], to: "one").exchanges.rows.count == 1)
  }

  @Test func damagedFilesAreSaid() throws {
    try write("a.pcap", at: 1)
    let cut = try Data(contentsOf: write("b.pcap", at: 2)).dropLast(7)
    try cut.write(to: folder.appendingPathComponent("b.pcap"))
    let outcome = try run(["captures"])
    #expect(outcome.status == 1 && outcome.error.contains("captures/b.pcap: ") && outcome.errorLines.count == 1)
    #expect(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
  }

  @Test func reportsAreNamedAfterTheFolder() throws {
    try write("a.pcap", at: 1)
    for (argument, name) in [("captures/", "captures-report"), ("captures/a*", "captures/captures-report")] {
      let outcome = try run([argument], ["--format", "csv"])
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(FileManager.default.fileExists(atPath: scratch.path(name) + "/ledger.csv"), "\(name)")
    }
  }

  /// Other commands that read captures find them in the same way.
  @Test func everyCommand() throws {
    try write("a.pcap", at: 1)
    try write("b.pcap", at: 2)
    for command in [["models"], ["keys"], ["budget", "--budget", "budget.yaml"]] {
      _ = try scratch.file("budget.yaml", Array("limits:\n  - host: a.example\n    ip_bytes: 2 MB\n".utf8))
      let outcome = try run(command + ["captures"])
      #expect(outcome.status == 0, "\(command): \(outcome.error)")
    }
  }
}
