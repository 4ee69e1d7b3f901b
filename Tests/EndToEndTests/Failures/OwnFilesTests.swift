import Foundation
import TestSupport
import Testing

/// What a run writes goes into files of its own only, and no two runs write into one folder.
@Suite struct OwnFilesTests {
  private let capture: CaptureFile
  private let scratch: Scratch
  private let folder: String

  init() throws {
    capture = try Corpus.capture("nginx-keepalive")
    scratch = try Scratch()
    folder = scratch.path("report")
  }

  /// Every file that some run makes, the temporary ones with a fixed name and those of SQLite included.
  private static let names =
    Report.fileNames + Report.fileNames.map { ".\($0).new" }
    + [
      "report.sqlite", "report.sqlite-journal", "report.sqlite-wal", "report.sqlite-shm",
      "report.har", "report.html", ".report.html.new", "models.csv", "model_messages.csv", "verify.csv", "budget.csv",
      ".sniffer.lock",
    ] + Report.ndjsonNames

  /// Those of them that are reports.
  private static let reports = names.filter { !$0.hasPrefix(".") && !$0.contains("sqlite-") }

  /// Files that belong to somebody else (as far as this user can give them away), that everybody may write, and that have
  /// another name outside of the folder.
  @Test func plantedFilesAreNeverWrittenInto() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let outside = scratch.path("outside")
    try FileManager.default.createDirectory(atPath: outside, withIntermediateDirectories: false)
    /// What this run does not make is not there: it would be somebody else's, and the folder refused.
    func plant(_ made: [String]) throws {
      // Without the mark of a run, the files are of others, and the folder is refused.
      try Data().write(to: URL(fileURLWithPath: "\(folder)/.sniffer-report"))
      for name in Self.names {
        try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        guard made.contains(name) || !Self.reports.contains(name) else { continue }
        try Data("precious".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: "\(folder)/\(name)")
        if Environment.isRoot {
          try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: "\(folder)/\(name)")
        }
        try? FileManager.default.removeItem(atPath: "\(outside)/\(name)")
        try FileManager.default.linkItem(atPath: "\(folder)/\(name)", toPath: "\(outside)/\(name)")
      }
    }
    let budget = try scratch.file("budget.yaml", Array("limits:\n  - host: \"*\"\n    requests: 1000000\n".utf8))
    let messages = try AppLogFile(FileAnalysis.of(capture).report.messages)
    let log = try scratch.file("app.csv", Array(messages.text.utf8))
    let runs: [(arguments: [String], made: [String])] = [
      (
        ["--format", "csv,ndjson,sqlite,har,html"],
        Report.fileNames + Report.ndjsonNames + ["report.sqlite", "report.har", "report.html"]
      ),
      (["models", "--format", "csv,html"], ["models.csv", "model_messages.csv", "report.html"]),
      (["verify", "--log", log.path], ["verify.csv"]),
      (["budget", "--budget", budget.path], ["budget.csv"] + Report.fileNames),
    ]
    for (arguments, made) in runs {
      try plant(made)
      let outcome = try Sniffer.run(arguments + [capture.path, "-q", "-o", folder])
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(arguments): \(outcome.error)")
      for name in Self.names where made.contains(name) || !Self.reports.contains(name) {
        #expect(try Data(contentsOf: URL(fileURLWithPath: "\(outside)/\(name)")) == Data("precious".utf8), "\(name)")
      }
      for name in made { try expectOwn("\(folder)/\(name)") }
    }
  }

  /// The same of a live run, and of the packets that it saves.
  @Test(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
  func plantedFilesAreNeverWrittenIntoByLiveRuns() throws {
    let report = scratch.path("live")
    try FileManager.default.createDirectory(atPath: report, withIntermediateDirectories: false)
    try Data().write(to: URL(fileURLWithPath: "\(report)/.sniffer-report"))
    let names = Report.fileNames + ["messages.open.csv", ".messages.open.csv.new", "saved.pcapng"]
    for name in names {
      let victim = try scratch.file("victim-\(name)", Array("precious".utf8))
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o666, .ownerAccountID: 65_534], ofItemAtPath: victim.path)
      try FileManager.default.linkItem(atPath: victim.path, toPath: "\(report)/\(name)")
    }
    let run = try LiveRun(
      port: 9, in: scratch, ["--allow-root", "--interval", "0.2", "--write", "\(report)/saved.pcapng"])
    #expect(eventually { run.process.error.contains("time=") })
    #expect(try run.stop().status == 0)
    for name in names {
      let victim = URL(fileURLWithPath: scratch.path("victim-\(name)"))
      #expect(try Data(contentsOf: victim) == Data("precious".utf8), "\(name)")
    }
    for name in Report.fileNames + ["saved.pcapng"] { try expectOwn("\(report)/\(name)") }
  }

  /// That a file is this user's own, for this user alone, under one name.
  private func expectOwn(_ path: String) throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.ownerAccountID] as? NSNumber)?.uint32Value == geteuid(), "\(path)")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(path)")
    #expect((attributes[.referenceCount] as? NSNumber)?.intValue == 1, "\(path)")
  }

  // MARK: Two runs

  @Test func theSecondRunInAFolderIsRefused() throws {
    let fifo = scratch.path("fifo")
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let first = try RunningCommand(Sniffer.url, [fifo, "-q", "-o", folder])
    // A pipe can be opened without waiting as soon as somebody reads it: then the run has made its files.
    var pipe: Int32 = -1
    #expect(
      eventually {
        pipe = unsafe open(fifo, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        return pipe >= 0
      })
    _ = fcntl(pipe, F_SETFL, 0)
    let writer = FileHandle(fileDescriptor: pipe, closeOnDealloc: true)
    let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(before.contains("connections.csv"))
    for command in [["analyze"], ["models"], ["analyze", "--format", "html"]] {
      let second = try Sniffer.run(command + [capture.path, "-o", folder])
      #expect(second.status == 1 && !second.wasKilled)
      #expect(
        second.errorLines == ["sniffer: \(folder): cannot use the folder: Another run writes its reports there"])
      #expect(second.outputOctets.isEmpty)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
    }
    // The first one is not disturbed.
    try writer.write(contentsOf: Command.shell("gzip -dcf \"$1\"", [capture.path]).outputOctets)
    try writer.close()
    let outcome = try first.wait()
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    let report = try Report(folder: URL(fileURLWithPath: folder))
    #expect(try report.differences(from: FileAnalysis.of(capture).report) == [])
    #expect(try FileManager.default.visibleNames(folder) == Report.fileNames)
  }

  /// The lock of a run that was killed is gone with it.
  @Test func aKilledRunLeavesNoLock() throws {
    let fifo = scratch.path("fifo")
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let first = try RunningCommand(Sniffer.url, [fifo, "-q", "-o", folder])
    #expect(eventually { FileManager.default.fileExists(atPath: "\(folder)/connections.csv") })
    first.signal(SIGKILL)
    #expect(try first.wait().wasKilled)
    #expect(FileManager.default.fileExists(atPath: "\(folder)/.sniffer.lock"))
    let second = try Sniffer.run([capture.path, "-q", "-o", folder])
    #expect(second.status == 0 && second.error.isEmpty, "\(second.error)")
    #expect(try FileManager.default.visibleNames(folder) == Report.fileNames)
  }

  @Test(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
  func theSecondLiveRunIsRefused() throws {
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(port: 9, in: scratch, ["--allow-root", "--write", saved])
    func second(_ arguments: [String]) throws -> Outcome {
      try Sniffer.run(["live", "-i", "lo", "--filter", "tcp port 9", "--allow-root", "--duration", "5"] + arguments)
    }
    let inFolder = try second(["-o", run.report.path])
    #expect(inFolder.status == 1 && inFolder.output.isEmpty)
    #expect(
      inFolder.errorLines == [
        "sniffer: \(run.report.path): cannot use the folder: Another run writes its reports there"
      ])
    let inFile = try second(["--write", saved])
    #expect(inFile.status == 1 && inFile.output.isEmpty)
    #expect(inFile.errorLines == ["sniffer: \(saved): cannot write: another run is writing this file"])
    #expect(try run.stop().status == 0)
    #expect(try Sniffer.run([saved, "-q"]).status == 0)
    // Once it has ended, both are free.
    #expect(
      try second(["-o", run.report.path, "--write", saved, "-q", "--packets", "1", "--duration", "0.2"]).status == 0)
  }
}
