import Foundation
import Testing

/// Reports that cannot be begun: one clear line, status 1, and nothing else. Reports that cannot be finished: the summary all the same.
@Suite struct OutputFailureTests {
  private let capture: CaptureFile
  private let scratch: Scratch

  init() throws {
    capture = try Corpus.capture("nginx-keepalive")
    scratch = try Scratch()
  }

  @Test func folderUnderAFile() throws {
    let file = try scratch.file("file")
    let folder = file.path + "/report"
    expectFailure(
      try Sniffer.run([capture.path, "-o", folder]), naming: folder, saying: "Not a directory", isBegun: false)
  }

  @Test func folderIsAFile() throws {
    let file = try scratch.file("file", Array("precious".utf8))
    expectFailure(
      try Sniffer.run([capture.path, "-o", file.path]), naming: file.path, saying: "Not a directory", isBegun: false)
    #expect(try Data(contentsOf: file) == Data("precious".utf8))
  }

  @Test(.enabled(if: Environment.canMount, "needs root and unshare -m, to mount a small file system"))
  func fullDisk() throws {
    let folder = scratch.path("disk")
    let outcome = try onMount("size=64k", try Corpus.capture("mixed-2000"))
    expectFailure(outcome, naming: folder + "/report/", saying: "No space left on device")
  }

  @Test(.enabled(if: Environment.canMount, "needs root and unshare -m, to mount a read-only file system"))
  func readOnlyDisk() throws {
    let outcome = try onMount("ro", capture)
    expectFailure(outcome, naming: scratch.path("disk/report"), saying: "Read-only file system", isBegun: false)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
  func fullStandardOutput() throws {
    let folder = scratch.path("report")
    let outcome = try Sniffer.run([capture.path, "-o", folder], output: URL(fileURLWithPath: "/dev/full"))
    #expect(outcome.status == 1 && !outcome.wasKilled)
    #expect(outcome.errorLines == ["sniffer: standard output: cannot write: No space left on device"])
    let report = try Report(folder: URL(fileURLWithPath: folder))
    #expect(try report.differences(from: FileAnalysis.of(capture).report).isEmpty)
  }

  /// Text that is not about captures, too.
  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"),
    arguments: [
      [], ["interfaces"], ["--help"], ["--version"], ["-V"], ["help", "analyze"], ["live", "--help"], ["guide", "ios"],
      ["--generate-completion-script", "bash"],
    ])
  func fullStandardOutputOfAnAnswer(_ arguments: [String]) throws {
    let outcome = try Sniffer.run(arguments, output: URL(fileURLWithPath: "/dev/full"))
    #expect(outcome.status == 1 && !outcome.wasKilled)
    #expect(outcome.errorLines == ["sniffer: standard output: cannot write: No space left on device"])
  }

  @Test(arguments: Report.fileNames)
  func plantedSymbolicLinkIsRefused(_ name: String) throws {
    let victim = try scratch.file("victim", Array("precious".utf8))
    let folder = scratch.path("report")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: victim.path)
    let outcome = try Sniffer.run([capture.path, "-o", folder])
    expectFailure(outcome, naming: "\(folder)/\(name)", saying: "symbolic link", isBegun: false)
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") == victim.path)
  }

  @Test func plantedPipeIsRefusedWithoutWaiting() throws {
    let folder = scratch.path("report")
    let made = try Command.shell("mkdir \"$1\" && mkfifo \"$1/ledger.csv\"", [folder])
    try #require(made.status == 0, "\(made.error)")
    let outcome = try Sniffer.run([capture.path, "-o", folder])
    expectFailure(outcome, naming: folder + "/ledger.csv", saying: "not a regular file", isBegun: false)
  }

  @Test func foldersOnTheWayAreCreatedForTheOwnerAlone() throws {
    let folder = scratch.path("a/b/report")
    let outcome = try Sniffer.run([capture.path, "-o", folder])
    #expect(outcome.status == 0)
    for path in [folder, folder + "/messages.csv"] {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
      #expect(mode.map { $0.intValue & 0o077 } == 0, "\(path)")
    }
  }

  // MARK: Reports of an earlier run

  @Test func whatThisRunDoesNotWriteIsGone() throws {
    let folder = scratch.path("report")
    let first = try Sniffer.run([capture.path, "-o", folder, "--format", "csv,ndjson"])
    #expect(first.status == 0, "\(first.error)")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/notes.txt"))
    let second = try Sniffer.run([capture.path, "-o", folder, "--format", "sqlite"])
    #expect(second.status == 0, "\(second.error)")
    #expect(second.outputLines.suffix(3).dropLast() == ["wrote \(folder):", "  report.sqlite"])
    #expect(try FileManager.default.visibleNames(folder) == ["notes.txt", "report.sqlite"])
  }

  @Test func whatMayBeAnotherRunsIsRefused() throws {
    let folder = scratch.path("report")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: folder + "/apis.csv"))
    let outcome = try Sniffer.run([capture.path, "-o", folder, "--format", "sqlite"])
    expectFailure(outcome, naming: folder, saying: "It has apis.csv", isBegun: false)
    #expect(try FileManager.default.visibleNames(folder) == ["apis.csv"])
  }

  /// A file of another program, which has the name of a report.
  @Test func aFileThatNoRunWroteStays() throws {
    let folder = scratch.path("report")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let path = folder + "/apis.csv"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    for arguments in [["--format", "csv"], ["--format", "csv,sqlite", "--max-report", "1MB"]] {
      let outcome = try Sniffer.run([capture.path, "-o", folder] + arguments)
      expectFailure(outcome, naming: folder, saying: "It has apis.csv, which sniffer did not write", isBegun: false)
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }
    // With it gone the folder is used, and then again.
    try FileManager.default.removeItem(atPath: path)
    for _ in 0..<2 { #expect(try Sniffer.run([capture.path, "-o", folder]).status == 0) }
  }

  /// Each format, and each command that writes a folder: what it says it wrote is what is there.
  @Test func everyRunSaysWhatItWrote() throws {
    let log = try scratch.file("app.csv", Array(AppLogFile(FileAnalysis.of(capture).report.messages).text.utf8))
    let budget = try scratch.file("budget.yaml", Array("limits:\n  - host: \"*\"\n    requests: 1000000\n".utf8))
    let runs: [(String, [String])] = [
      ("all", [capture.path, "--format", "csv,ndjson,sqlite,har,html"]),
      ("verify", ["verify", capture.path, "--log", log.path, "--format", "csv,html"]),
      ("models", ["models", capture.path, "--format", "csv,html"]),
      ("budget", ["budget", capture.path, "--budget", budget.path, "--format", "csv"]),
    ]
    for (name, arguments) in runs {
      let folder = scratch.path(name)
      let outcome = try Sniffer.run(arguments + ["-o", folder])
      let start = try #require(outcome.outputLines.firstIndex(of: "wrote \(folder):"), "\(name) \(outcome.error)")
      let lines = outcome.outputLines[(start + 1)...].prefix { $0.hasPrefix("  ") }
      let said = lines.joined().split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(try said.sorted() == FileManager.default.visibleNames(folder), "\(name)")
    }
  }

  @Test func aFormatAloneHasAFolder() throws {
    let copy = scratch.path("here.pcap")
    try FileManager.default.copyItem(atPath: capture.path, toPath: copy)
    let outcome = try Sniffer.run([copy, "--format", "ndjson"])
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.outputLines.contains("wrote \(copy)-report:"))
    #expect(try FileManager.default.visibleNames(copy + "-report") == Report.ndjsonNames.sorted())
  }

  /// Analyses a capture into a folder on a fresh file system that nobody else sees.
  private func onMount(_ options: String, _ capture: CaptureFile) throws -> Outcome {
    let folder = scratch.path("disk")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try Command.run(
      try #require(Environment.tool("unshare")),
      [
        "-m", "/bin/sh", "-c", "mount -t tmpfs -o \(options) tmpfs \"$3\" && exec \"$1\" \"$2\" -o \"$3/report\"", "sh",
        Sniffer.url.path, capture.path, folder,
      ])
  }

  private func expectFailure(_ outcome: Outcome, naming path: String, saying word: String, isBegun: Bool = true) {
    #expect(outcome.status == 1 && !outcome.wasKilled)
    #expect(outcome.errorLines.count == 1, "\(outcome.error)")
    #expect(outcome.error.hasPrefix("sniffer: \(path)"))
    #expect(outcome.error.contains(word))
    guard isBegun else { return #expect(outcome.outputOctets.isEmpty) }
    #expect(outcome.outputLines.last?.wholeMatch(of: #/ledger balanced: [0-9,]+ bytes/#) != nil)
  }
}
